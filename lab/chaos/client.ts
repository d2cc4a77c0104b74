/** Posts submissions over keep-alive connections, each submission once, whatever becomes of it. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Copy, RelayProcess } from './relays.ts';

export type Ending =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  /** The connection ended without a whole answer. */
  | { readonly kind: 'cut'; readonly answerBegan: boolean }
  /** Nothing, for longer than any submission may take. */
  | { readonly kind: 'silence' };

const patienceMs = 30_000;

/** A keep-alive connection to one life of a relay. */
export class Connection {
  readonly relay: RelayProcess;
  readonly #socket: Socket;
  #text = '';
  #settle: ((ending: Ending) => void) | undefined;

  private constructor(relay: RelayProcess, socket: Socket) {
    this.relay = relay;
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#end({ kind: 'cut', answerBegan: this.#text !== '' }));
  }

  /** `undefined` when it is refused: then nothing was sent. */
  static async open(copy: Copy): Promise<Connection | undefined> {
    const socket = connect({ port: copy.relay.port, host: '127.0.0.1', noDelay: true });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    return isOpen ? new Connection(copy.relay, socket) : undefined;
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** `client`: who a proxy would say it is from. `pauseMs`: how long to wait in the middle of the body. */
  async post(form: string, body: string, client: string, pauseMs: number): Promise<Ending> {
    const head =
      `POST /api/v1/submit/${form} HTTP/1.1\r\nhost: relay\r\nx-forwarded-for: ${client}\r\n` +
      `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n`;
    const ended = new Promise<Ending>((resolve) => {
      this.#settle = resolve;
    });
    const timer = setTimeout(() => this.#end({ kind: 'silence' }), patienceMs);
    const half = pauseMs > 0 ? Math.floor(body.length / 2) : body.length;
    this.#socket.write(head + body.slice(0, half));
    if (pauseMs > 0) {
      await sleep(pauseMs);
      this.#socket.write(body.slice(half));
    }
    const ending = await ended;
    clearTimeout(timer);
    return ending;
  }

  close(): void {
    this.#socket.destroy();
  }

  #end(ending: Ending): void {
    this.#settle?.(ending);
    this.#settle = undefined;
    if (ending.kind !== 'answer') this.close();
  }

  #read(chunk: Buffer): void {
    this.#text += chunk.toString('latin1');
    const headEnd = this.#text.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#text.slice(0, headEnd);
    const end = headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (this.#text.length < end) return;
    const body = this.#text.slice(headEnd + 4, end);
    this.#text = this.#text.slice(end);
    if (/\r\nconnection: close/i.test(head)) this.#socket.end();
    this.#end({ kind: 'answer', status: Number(head.slice(9, 12)), body });
  }
}
