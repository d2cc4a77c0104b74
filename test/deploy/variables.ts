import { ownVariables } from '../../packages/cli/src/environment.ts';
import { settingVariables } from '../../packages/core/src/settings.ts';
import { bundledRegistry } from '../../packages/runtimes/src/inspect.ts';

const { plugins } = await bundledRegistry();

/** Variables that the relay and its bundled plug-ins read. */
export const variables = [
  settingVariables,
  ownVariables,
  ...plugins.map(({ variables = {} }) => variables),
].flatMap((some) => Object.values(some));
