import { ClientError } from '@form-relay/base/client_error';
import { writeOut } from '@form-relay/base/terminal';
import { CommandFailed, command, flag, type OwnRelay, option } from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import type { Form } from '@form-relay/core/form';
import type { Plugin } from '@form-relay/core/plugin';
import { anyText } from '@form-relay/schema/scalars';
import { openCounts } from '@form-relay/stores/open_store';
import type { Remedies, Store, StorePlace } from '@form-relay/stores/store';
import { printable } from '@form-relay/yaml/problem';
import { Counter } from '../counters/counter.ts';
import type {} from '../counters/index.ts';
import { type Counts, counts, type Hidden, hiddenOf, readCounts } from '../counters/read_counts.ts';
import { registrationKeys } from '../counters/registration.ts';
import { usedOf } from '../counters/tally.ts';
import { everyClaim, type Places, placesKey, registrationOf } from './claims.ts';
import type {} from './index.ts';

const places = command({
  name: 'places',
  summary: 'show how many places are taken, and correct the number',
  description:
    'show how many places are taken and left, and which are unresolved after a crash: they stay taken until you settle or release them',
  arguments: { form: option('form', 'the form. Default: all forms with places or registrations', anyText) },
  options: {
    set: option('number', 'set the number taken: `12`, or for an option: `workshop=a=12`', anyText),
    release: option('id', 'release a reserved place or link: its submission was not delivered', anyText),
    settle: option('id', 'mark a reserved place or link as used: its submission was delivered', anyText),
    forget: option('value', 'let a value counted by `once`, such as an address, register again', anyText),
    json: flag('print a JSON object per form'),
  },
  examples: [
    ['relay places', 'the places taken and left in all forms'],
    ['relay places course --set 12', 'after a cancellation'],
    ['relay places course --set workshop=a=3', 'the same for an option'],
  ],
  run: async ({ form, ...options }, context) => {
    const changes = [options.set, options.release, options.settle, options.forget].filter(Boolean);
    if (changes.length > 1)
      throw context.misuse("use only one of '--set', '--release', '--settle' and '--forget'");
    if (changes.length > 0 && form === undefined)
      throw context.misuse('name the form to change, such as relay places course --set 12');
    await show(form, options, await context.config(), await context.relay());
  },
});

export const plugin: Plugin = { name: 'places', commands: [places] };

interface PlacesOptions {
  readonly set: string | undefined;
  readonly release: string | undefined;
  readonly settle: string | undefined;
  readonly forget: string | undefined;
  readonly json: true | undefined;
}

/** Applies the correction, and then shows the counts of the chosen forms. */
async function show(
  name: string | undefined,
  options: PlacesOptions,
  { forms }: Config,
  relay: OwnRelay,
): Promise<void> {
  let opened: { readonly counter: Counter; readonly store: Store } | undefined;
  // A config has only one store for counts.
  const counterIn = async (place: StorePlace) => {
    if (!opened) {
      const store = await openCounts(place, relay.services);
      opened = { counter: new Counter(store.counts, relay.services.now), store };
    }
    return opened.counter;
  };
  try {
    const form = name === undefined ? undefined : forms.get(name);
    if (name !== undefined && !form) throw new CommandFailed(`the config has no form "${name}"`);
    const chosen = form ? [form] : [...forms.values()];
    const counting = chosen.flatMap((one) => {
      const place = one.provided.get('counters')?.place;
      return place && counts(one)
        ? [new CountedForm(one, place, { ...relay, counterIn, remedies: () => opened?.store.remedies })]
        : [];
    });
    if (counting.length === 0)
      throw new CommandFailed(form ? 'the form has neither places nor once' : 'no form has places or once');
    let isWritten = false;
    for (const one of counting) isWritten = await one.correct(options);
    const troubles = new Troubles();
    await writeOut(lines(counting, options.json === true, troubles));
    if (troubles.lines.length > 0)
      throw new CommandFailed(
        [
          ...(isWritten ? ['the change was written, but not everything can be shown'] : []),
          ...troubles.lines,
        ].join('\n'),
      );
  } finally {
    await opened?.store.close();
  }
}

/** @param troubles Collects why a form cannot be shown in full; the rest is shown. */
async function* lines(
  forms: readonly CountedForm[],
  isJson: boolean,
  troubles: Troubles,
): AsyncGenerator<string> {
  for (const form of forms) {
    try {
      const facts = await form.facts(troubles);
      yield isJson ? `${JSON.stringify(facts)}\n` : inWords(facts);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      troubles.add(form, error);
    }
  }
}

/** Why something cannot be read or written: each reason once, with the forms that it affects. */
class Troubles {
  readonly #formsBy = new Map<string, string[]>();
  readonly #remedies = new Set<string>();

  add(
    { id, where, remedies }: Pick<CountedForm, 'id' | 'where' | 'remedies'>,
    { code, message }: ClientError,
  ): void {
    const reason = `counted in ${where.name}: ${message}`;
    this.#formsBy.set(reason, [...(this.#formsBy.get(reason) ?? []), id]);
    const remedy = code?.startsWith('counts_') && remedies?.[code];
    if (remedy) this.#remedies.add(remedy);
  }

  get lines(): readonly string[] {
    const reasons = [...this.#formsBy].map(([reason, forms]) => `${forms.join(', ')}, ${reason}`);
    return [...reasons, ...this.#remedies];
  }
}

interface Facts {
  readonly form: string;
  readonly counted_in: string;
  /** Not set while the count is damaged. */
  readonly places?: readonly {
    readonly of: string;
    readonly most: number;
    readonly taken: number;
    readonly left: number;
  }[];
  /** The number of settled registrations, as far as they can be read. */
  readonly registered?: number;
  /** Submissions whose outcome is unknown after a crash. */
  readonly hidden: readonly Hidden[];
  /** Messages about parts of the count that cannot be read. */
  readonly damaged: readonly string[];
}

interface PlacesContext extends OwnRelay {
  counterIn(place: StorePlace): Promise<Counter>;
  /** The store's remedies, once it is open. */
  remedies(): Remedies | undefined;
}

class CountedForm {
  readonly #places: Places | undefined;
  #hasWritten = false;

  constructor(
    private readonly form: Form,
    readonly where: StorePlace,
    private readonly context: PlacesContext,
  ) {
    this.#places = form.provided.get('places');
  }

  get id(): string {
    return this.form.id;
  }

  get remedies(): Remedies | undefined {
    return this.context.remedies();
  }

  /** Resolves with whether anything was changed. */
  async correct({ set, release, settle, forget }: PlacesOptions): Promise<boolean> {
    const id = release ?? settle;
    if (set !== undefined) await this.#set(set);
    if (id !== undefined) await this.#end(id, release !== undefined);
    if (forget !== undefined) await this.#forget(forget);
    return this.#hasWritten;
  }

  async facts(troubles: Troubles): Promise<Facts> {
    const { id } = this;
    const counts = await this.#counts();
    const { tallies, damaged } = counts;
    for (const error of damaged) troubles.add(this, error);
    const tally = tallies.get(placesKey(id));
    const values = registrationKeys(id).flatMap((key) => [...(tallies.get(key)?.taken.values() ?? [])]);
    return {
      form: id,
      counted_in: this.where.name,
      ...(tallies.has(placesKey(id)) && {
        places: this.#claims.map(({ key, limit }) => {
          const taken = tally ? usedOf(tally, key) : 0;
          return { of: key, most: limit, taken, left: Math.max(0, limit - taken) };
        }),
      }),
      ...(this.#places?.once && { registered: values.reduce((sum, { count }) => sum + count, 0) }),
      hidden: hiddenOf(counts, this.context.services.now()),
      damaged: damaged.map(({ message }) => message),
    };
  }

  async #set(written: string): Promise<void> {
    const [, key = '', number = ''] = /^(?:(.+)=)?(\d{1,9})$/s.exec(written) ?? [];
    const known = this.#claims.map((one) => one.key);
    if (number === '' || !known.includes(key)) {
      const expected = known.map((one) => `--set ${one === '' ? '' : `${one}=`}12`).join(', ');
      throw new CommandFailed(`--set ${written}: expected ${expected || 'a form with places'}`);
    }
    await this.#write((counter) => counter.correct(placesKey(this.id), key, Number(number)));
  }

  async #end(id: string, isReleased: boolean): Promise<void> {
    const { tallies, damaged } = await this.#ask(() => this.#counts());
    const found = [...tallies].filter(([, { open }]) => open.has(id));
    if (found.length === 0) {
      const troubles = new Troubles();
      for (const error of damaged) troubles.add(this, error);
      const says = `no reservation has the id ${id}; relay places lists unresolved ones`;
      throw new CommandFailed([says, ...troubles.lines].join('\n'));
    }
    for (const [key] of found)
      await this.#write((counter) => (isReleased ? counter.release(key, id) : counter.settle(key, id)));
  }

  async #forget(value: string): Promise<void> {
    const once = this.#places?.once;
    const { formTokenSecret } = this.context.settings;
    if (!once) throw new CommandFailed('the form has no `once`, so no values are registered');
    if (formTokenSecret === '')
      throw new CommandFailed('set FORM_TOKEN_SECRET to the value that the relay uses');
    const found = registrationOf(formTokenSecret, this.form, once, value);
    if (!found) throw new CommandFailed('--forget needs a value');
    const { key, hash } = found;
    const { open, taken } = await this.#ask((counter) => counter.read(key));
    const reserved = [...open].filter(([, { keys }]) => keys.includes(hash));
    if (reserved.length === 0 && !taken.get(hash)?.count)
      throw new CommandFailed('this value was not sent, or was counted with another FORM_TOKEN_SECRET');
    for (const [id] of reserved) await this.#write((counter) => counter.release(key, id));
    await this.#write((counter) => counter.correct(key, hash, 0));
  }

  async #counts(): Promise<Counts> {
    const counter = await this.context.counterIn(this.where);
    return readCounts(this.form, (key) => counter.read(key));
  }

  get #claims() {
    return this.#places ? everyClaim(this.#places) : [];
  }

  async #write(work: (counter: Counter) => Promise<unknown>): Promise<void> {
    await this.#ask(work);
    this.#hasWritten = true;
  }

  async #ask<T>(work: (counter: Counter) => Promise<T>): Promise<T> {
    try {
      return await work(await this.context.counterIn(this.where));
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      const troubles = new Troubles();
      troubles.add(this, error);
      const part = this.#hasWritten ? ['part of the change was written; run the command again'] : [];
      throw new CommandFailed([...part, ...troubles.lines].join('\n'));
    }
  }
}

function inWords({ form, counted_in: where, hidden, damaged, ...counted }: Facts): string {
  const more = hidden.flatMap(({ of }) => of).filter((of) => of === 'registration').length;
  const atLeast = damaged.length > 0 ? 'at least ' : '';
  const rows = [
    `${form}, counted in ${where}`,
    ...(counted.places ?? []).map(
      ({ of, most, taken, left }) => `  ${of || 'all places'}: ${taken} of ${most} taken, ${left} left`,
    ),
    ...(counted.registered === undefined
      ? []
      : [`  registered: ${atLeast}${counted.registered}${more > 0 ? `, hidden: ${more}` : ''}`]),
    ...hidden.map(({ id, since, of }) => {
      const what = of.filter(Boolean).join(', ');
      return `  unresolved after a crash: ${id}, since ${since}${what && `, ${what}`}; use --settle or --release`;
    }),
  ];
  return `${rows.map(printable).join('\n')}\n`;
}
