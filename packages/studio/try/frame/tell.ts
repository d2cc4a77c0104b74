import type { FromFrame } from '../protocol.ts';

const { port1: port, port2 } = new MessageChannel();

export { port };
export const tell = (message: FromFrame) => port.postMessage(message);
/** What other pages say is not heard. */
export const begin = () => parent.postMessage('frame', '*', [port2]);
