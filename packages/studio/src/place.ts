import { type Mode, modes, type Theme, themes } from './looks.ts';

/** Differences between the studio of a server on this machine and that of a page without one (packages/studio/try). */
export interface Place {
  /** After the product's name. */
  readonly name: string;
  /** In which ways a form can be shown. */
  readonly modes: readonly Mode[];
  readonly themes: readonly Theme[];
  /** Whether the config is in a file, into which a draft can be saved. */
  readonly hasFile: boolean;
  /** Whether what is in a frame has an address of its own. */
  readonly opensAlone: boolean;
  /** The `sandbox` attribute of its frames (HTML). Default: none, so everything is allowed. */
  readonly sandbox?: string;
  /** Where the relay is in what owners copy. Default: where the studio is. */
  readonly origin?: string;
}

/** `relay dev`. */
export const onThisMachine: Place = {
  name: 'studio',
  modes: Object.keys(modes) as Mode[],
  themes: Object.keys(themes) as Theme[],
  hasFile: true,
  opensAlone: true,
};
