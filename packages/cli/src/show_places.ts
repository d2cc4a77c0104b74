import { ClientError, type Form } from '@form-relay/relay/base';
import { printable } from '@form-relay/relay/config';
import { countedFor, singleUse } from '@form-relay/relay/features';
import {
  type Counter,
  type CountPlace,
  everyClaim,
  everyKey,
  hiddenIn,
  linkKeys,
  linkOf,
  noTally,
  onceKeys,
  type Places,
  places,
  placesKey,
  registrationOf,
  type Tally,
  usedOf,
} from '@form-relay/relay/places';
import type { Relay } from '@form-relay/relay/serve';
import { CommandFailed } from './command_failed.ts';
import { makeRelay } from './make_relay.ts';
import { writeOut } from './open_archive.ts';
import { readOwnConfig } from './own_setup.ts';
import { readCounts } from './read_counts.ts';
import type { GlobalOptions } from './usage.ts';

export interface PlacesOptions extends GlobalOptions {
  readonly set?: string;
  readonly release?: string;
  readonly settle?: string;
  readonly forget?: string;
  readonly json?: boolean;
}

/** Shows what is taken of the forms that count, after it was corrected. */
export async function showPlaces(name: string | undefined, options: PlacesOptions): Promise<void> {
  const relay = makeRelay({ triesAgain: false, effects: { log: () => {} } });
  try {
    const read = await readOwnConfig(options.config);
    if (!read.ok) throw new CommandFailed(read.error);
    const { forms } = read.value;
    const form = name === undefined ? undefined : forms.get(name);
    if (name !== undefined && !form) throw new CommandFailed(`the config has no form "${name}"`);
    const asked = form ? [form] : [...forms.values()];
    const counting = asked.flatMap((one) => {
      const where = countedFor(one);
      return where ? [new CountedForm(one, where, relay)] : [];
    });
    if (counting.length === 0)
      throw new CommandFailed(
        form
          ? 'the form counts no places, registrations or links'
          : 'no form counts places, registrations or links',
      );
    for (const one of counting) await one.correct(options);
    const failed: string[] = [];
    await writeOut(lines(counting, options.json === true, failed));
    if (failed.length > 0) throw new CommandFailed(failed.join('\n'));
  } finally {
    await relay.close();
  }
}

/** @param failed Receives why a form cannot be shown: the others are. */
async function* lines(
  forms: readonly CountedForm[],
  isJson: boolean,
  failed: string[],
): AsyncGenerator<string> {
  for (const form of forms) {
    let facts: Facts;
    try {
      facts = await form.facts();
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      failed.push(error.message);
      continue;
    }
    yield isJson ? `${JSON.stringify(facts)}\n` : inWords(facts);
  }
}

interface Facts {
  readonly form: string;
  readonly counted_in: string;
  readonly places: readonly {
    readonly of: string;
    readonly most: number;
    readonly taken: number;
    readonly left: number;
  }[];
  /** Values that came once. */
  readonly registered?: number;
  /** Links that work once. */
  readonly used_links?: number;
  /** Places, registrations and links whose outcome a crash hid. */
  readonly hidden: readonly Hidden[];
}

interface Hidden {
  readonly id: string;
  readonly since: string;
  readonly of: readonly string[];
}

class CountedForm {
  readonly #asked: Places | undefined;

  constructor(
    private readonly form: Form,
    private readonly where: CountPlace,
    private readonly relay: Pick<Relay, 'effects' | 'settings'>,
  ) {
    this.#asked = places.of(form);
  }

  async correct({ set, release, settle, forget }: PlacesOptions): Promise<void> {
    const id = release ?? settle;
    if (set !== undefined) await this.#set(set);
    if (id !== undefined) await this.#end(id, release !== undefined);
    if (forget !== undefined) await this.#forget(forget);
  }

  async facts(): Promise<Facts> {
    const { id } = this.form;
    const asked = this.#asked;
    const tally = asked ? await this.#ask((counter) => counter.read(placesKey(id))) : noTally;
    const registered = asked?.once && (await this.#read(onceKeys(id)));
    const links = singleUse.of(this.form)?.counted && (await this.#read(linkKeys(id)));
    const now = this.relay.effects.now();
    const hidden = new Map<string, Hidden>();
    for (const one of [tally, ...(registered ?? []), ...(links ?? [])])
      for (const [id, { at, keys }] of hiddenIn(one, now)) {
        const { since = new Date(at * 1_000).toISOString(), of = [] } = hidden.get(id) ?? {};
        hidden.set(id, { id, since, of: [...of, ...keys.flatMap(inPublic)] });
      }
    return {
      form: id,
      counted_in: this.where.name,
      places: this.#claims.map(({ key, limit }) => {
        const taken = usedOf(tally, key);
        return { of: key, most: limit, taken, left: Math.max(0, limit - taken) };
      }),
      ...(registered && { registered: valuesIn(registered) }),
      ...(links && { used_links: valuesIn(links) }),
      hidden: [...hidden.values()],
    };
  }

  async #set(written: string): Promise<void> {
    const [, key = '', number = ''] = /^(?:(.+)=)?(\d{1,9})$/s.exec(written) ?? [];
    const known = this.#claims.map((one) => one.key);
    if (number === '' || !known.includes(key)) {
      const expected = known.map((one) => `--set ${one === '' ? '' : `${one}=`}12`).join(', ');
      throw new CommandFailed(`--set ${written}: expected ${expected || 'a form with places'}`);
    }
    await this.#ask((counter) => counter.correct(placesKey(this.form.id), key, Number(number)));
  }

  async #end(id: string, isReleased: boolean): Promise<void> {
    const keys = everyKey(this.form);
    const tallies = await this.#read(keys);
    const opens = tallies.flatMap(({ open }) => [...open]);
    // The id of a link stands for the submission that used it.
    const [use] = opens.find(([, { keys: of }]) => of.some((key) => linkOf(key) === id)) ?? [id];
    const found = keys.filter((_, index) => tallies[index]?.open.has(use));
    if (found.length === 0)
      throw new CommandFailed(`nothing is reserved under ${id}; relay places shows what is hidden`);
    for (const key of found)
      await this.#ask(async (counter) => {
        if (isReleased) await counter.release(key, use);
        else await counter.settle(key, use);
      });
  }

  async #forget(value: string): Promise<void> {
    const once = this.#asked?.once;
    const { formTokenSecret } = this.relay.settings;
    if (!once) throw new CommandFailed('the form has no once');
    if (formTokenSecret === '') throw new CommandFailed('set FORM_TOKEN_SECRET, as the relay has it');
    const found = registrationOf(formTokenSecret, this.form.id, once, value);
    if (!found) throw new CommandFailed('--forget needs a value');
    const { key, hash } = found;
    const { open, taken } = await this.#ask((counter) => counter.read(key));
    const reserved = [...open].filter(([, { keys }]) => keys.includes(hash));
    if (reserved.length === 0 && !taken.get(hash)?.count)
      throw new CommandFailed('this value has not come, or under another FORM_TOKEN_SECRET');
    for (const [id] of reserved) await this.#ask((counter) => counter.release(key, id));
    await this.#ask((counter) => counter.correct(key, hash, 0));
  }

  #read(keys: readonly string[]): Promise<readonly Tally[]> {
    return readCounts(keys, (key) => this.#ask((counter) => counter.read(key)));
  }

  get #claims() {
    return this.#asked ? everyClaim(this.#asked) : [];
  }

  async #ask<T>(work: (counter: Counter) => Promise<T>): Promise<T> {
    try {
      return await work(await this.relay.effects.openCounter(this.where));
    } catch (error) {
      if (error instanceof ClientError)
        throw new CommandFailed(`${this.form.id}, counted in ${this.where.name}: ${error.message}`);
      throw error;
    }
  }
}

const valuesIn = (tallies: readonly Tally[]) =>
  tallies.flatMap(({ taken }) => [...taken.values()]).reduce((sum, { count }) => sum + count, 0);

/** Hashes of registrations tell nobody anything. */
function inPublic(key: string): readonly string[] {
  const link = linkOf(key);
  if (link !== undefined) return [`link ${link}`];
  return /^[0-9a-f]{32}$/.test(key) ? [] : [key];
}

function inWords({
  form,
  counted_in: where,
  places: all,
  registered,
  used_links: links,
  hidden,
}: Facts): string {
  const rows = [
    `${form}, counted in ${where}`,
    ...all.map(
      ({ of, most, taken, left }) => `  ${of || 'all places'}: ${taken} of ${most} taken, ${left} left`,
    ),
    ...(registered === undefined ? [] : [`  registered: ${registered}`]),
    ...(links === undefined ? [] : [`  used links: ${links}`]),
    ...hidden.map(({ id, since, of }) => {
      const what = of.filter(Boolean).join(', ');
      return `  hidden by a crash: ${id}, since ${since}${what && `, ${what}`}; --settle or --release it`;
    }),
  ];
  return `${rows.map(printable).join('\n')}\n`;
}
