import type { FromFrame } from '../protocol.ts';

const { port1: port, port2 } = new MessageChannel();

export { port };
export const tell = (message: FromFrame) => port.postMessage(message);
/** Other pages are not listened to: this port is the only channel. */
export const begin = () => parent.postMessage('frame', '*', [port2]);
