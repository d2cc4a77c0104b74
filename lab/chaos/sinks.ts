/** The sinks, in a separate process that ends with its parent. */
import { Book } from './book.ts';
import { between, chance } from './chance.ts';
import { httpSink } from './http_sink.ts';
import { Listener } from './listener.ts';
import { repeat } from './loop.ts';
import { smtpSink } from './smtp_sink.ts';
import { type SinkName, sinkNames } from './submission.ts';

export interface SinksOptions {
  readonly seed: number;
  readonly submissions: number;
  /** The average time between two outages, in milliseconds. */
  readonly outageEveryMs: number;
  /** The minimum and maximum duration of an outage. */
  readonly outageMs?: readonly [least: number, most: number] | undefined;
}

export type SinksQuestion = { readonly start: SinksOptions } | 'heal' | 'report';
export type Ports = Readonly<Record<SinkName, number>>;
export type SinksReport = Readonly<Record<SinkName, Book['report']>>;

interface Sink {
  readonly name: SinkName;
  readonly book: Book;
  readonly listener: Listener;
}
let sinks: readonly Sink[] = [];
let failing: ReturnType<typeof outages> | undefined;

process.on('message', async (question: SinksQuestion) => {
  const tell = (values: (sink: Sink) => unknown) =>
    process.send?.(Object.fromEntries(sinks.map((sink) => [sink.name, values(sink)])));
  if (question === 'report') return tell(({ book }) => book.report);
  if (question === 'heal') {
    await failing?.end();
    for (const { book } of sinks) book.isHealed = true;
    return process.send?.('healed');
  }
  sinks = sinkNames.map((name) => open(name, question.start));
  await Promise.all(sinks.map(({ listener }) => listener.open()));
  tell(({ listener }) => listener.port);
  failing = outages(question.start);
});
process.on('disconnect', () => process.exit());

function open(name: SinkName, { seed, submissions }: SinksOptions): Sink {
  const book = new Book(name, seed, submissions);
  const isMail = name === 'mail' || name === 'pair';
  const serve = isMail ? smtpSink(book) : httpSink(book);
  return { name, book, listener: new Listener(serve) };
}

/** Each sink in turn refuses connections for a while; every other time, it also drops open ones. */
function outages({ seed, outageEveryMs, outageMs = [100, 700] }: SinksOptions) {
  const at = (count: number, question: number) => chance(seed, -count, question);
  const failing = repeat(
    (count) => outageEveryMs * between(0.5, 1.5, at(count, 1)),
    async (count) => {
      const { listener, book } = sinks[Math.floor(at(count, 2) * sinks.length)] as Sink;
      const dies = at(count, 3) < 0.5;
      book.count(dies ? '(died and came back)' : '(refused connections for a while)');
      if (dies) listener.crash();
      else listener.refuse();
      await failing.pause(between(...outageMs, at(count, 4)));
      await listener.open();
    },
  );
  return failing;
}
