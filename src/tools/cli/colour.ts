import { styleText } from 'node:util';

/** One at a time: given several, Node 20 does not ask whether the stream is a terminal. */
export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Styles the text if the stream is a terminal that can; NO_COLOR and FORCE_COLOR are respected. */
export const colour = (style: Style, text: string, stream: NodeJS.WriteStream): string =>
  styleText(style, text, { stream });
