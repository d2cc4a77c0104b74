/** The scenarios: each plays with the live form, and ends in what the visitor read and what the owner got. */
import type { Scenes } from '../../scenes.ts';
import { fill, press, read, until, wait } from './actor.ts';
import { onceShown, relayForm, scenes, showForm } from './live_form.ts';
import { go, refresh } from './live_page.ts';
import { byId, onClick, post, stage } from './page_parts.ts';
import { type Arrival, onArrival } from './story_list.ts';

/** What a scenario sees to in its turn; what is `undefined` is as with any visitor. */
interface Play {
  /** Said before all else: what the form lacks, and what is done instead. */
  readonly note?: string;
  /** How long ago the form was given out. */
  readonly ageMs?: number;
  readonly values?: readonly (readonly [name: string, value: string])[];
  readonly before?: () => unknown;
  /** What else is done to the filled form. */
  readonly also?: () => unknown;
  readonly after?: () => unknown;
  /** What happens when the first answer is there. */
  readonly next?: (first: Sent) => Promise<Sent | undefined>;
}

/** One submission, as both sides saw it. */
interface Sent {
  readonly story: Arrival;
  /** What is to be told of it first. */
  readonly says?: string;
  readonly read: string;
}

const hours = (ms: number) => {
  const rounded = Math.round(ms / 360_000) / 10;
  return rounded === 1 ? '1 hour' : `${rounded} hours`;
};

const plays: Readonly<Record<string, (about: Scenes) => Play>> = {
  visitor: () => ({}),

  typo: ({ typo, samples }) => {
    if (!typo) return { note: 'This form takes whatever is typed, so there is no typo to make.' };
    return {
      values: samples.map(([name, value]) => [name, name === typo.name ? typo.value : value]),
      next: async (first) => {
        if (first.story.outcome !== 'invalid') return undefined;
        write(['The visitor reads ', quote(first.read), ', and corrects it.']);
        await wait(900);
        return send(async () => fill(typo.name, valuesOf(typo.name, samples)));
      },
    };
  },

  bot: ({ bot, decoy }) => {
    if (bot === 'honeypot')
      return {
        ageMs: 0,
        also: () => {
          const control = relayForm()?.elements.namedItem(decoy ?? '');
          if (control && 'value' in control) control.value = 'https://spam.example/';
        },
      };
    if (bot === 'min_fill')
      return { ageMs: 0, note: 'There is no honeypot, so the bot is caught by its haste.' };
    if (bot === 'captcha')
      return {
        note: 'There is no honeypot, so it is up to the captcha.',
        also: async () => (await until(() => standIn('A bot'), 2_000))?.click(),
        after: () => standIn('A human')?.click(),
      };
    return { note: 'This form has no honeypot, min-fill or captcha: what bots send arrives like the rest.' };
  },

  down: ({ down }) => {
    if (!down) return { note: 'This form has no output that can be down.' };
    const set = (fault: string) =>
      post('/playground/fault', { form: stage().form ?? '', output: String(down.output), fault });
    return {
      ...(!down.isNeeded && {
        note: `All outputs say on_error: continue, so ${down.type} is down and nobody minds.`,
      }),
      before: () => set('refused'),
      after: () => set(''),
    };
  },

  stale: ({ staleMs }) => {
    if (staleMs === undefined)
      return { note: 'Without spam.min_fill_seconds a form never expires, however long it is left open.' };
    return {
      note: `The form was opened ${hours(staleMs)} ago.`,
      ageMs: staleMs,
      next: async (first) => {
        if (first.story.outcome !== 'expired') return undefined;
        // A form with a script sends itself again, with the token that the answer brought.
        const again = await nextStory(1_500);
        if (again) return { story: again, read: read(), says: 'It sent itself again, with a fresh token. ' };
        write([
          'The visitor reads ',
          quote(first.read),
          ', and sends it again: all that was typed is still there.',
        ]);
        await wait(900);
        return send();
      },
    };
  },

  plain: () => ({ before: () => go(stage().plain ?? '') }),
};

const valuesOf = (name: string, samples: Scenes['samples']) =>
  samples.filter(([one]) => one === name).map(([, value]) => value);

const standIn = (text: string) =>
  [...(frameOf()?.querySelectorAll<HTMLElement>('.stand-in label') ?? [])].find(
    (one) => one.innerText.trim() === text,
  );
const frameOf = () => relayForm()?.ownerDocument;

/** Those that came since somebody last looked. */
let arrived: Arrival[] = [];
onArrival.add((arrival) => arrived.push(arrival));
const nextStory = (ms: number) => until(() => arrived.shift(), ms);

/** What the visitor reads, once the page shows the answer. */
const settled = async (before: string) => {
  const changed = await until(() => read() !== before && read(), 1_500);
  // The same words may come again.
  return changed ?? read();
};

const send = async (prepare?: () => unknown): Promise<Sent | undefined> => {
  await prepare?.();
  const before = read();
  arrived = [];
  await press();
  const story = await nextStory(30_000);
  return story && { story, read: await settled(before) };
};

/** Counts those that were begun: another one ends the one before. */
let playing = 0;

const play = async (name: string) => {
  const about = scenes();
  const make = plays[name];
  if (!about || !make) return;
  playing += 1;
  const mine = playing;
  const isOver = () => mine !== playing;
  const { note, ageMs = about.readMs, values = about.samples, before, also, after, next } = make(about);
  const notes = note === undefined ? [] : [`${note} `];
  write([...notes, 'Playing …']);
  await before?.();
  if (name === 'plain') await refresh();
  const shown = new Promise<void>((resolve) => onceShown(() => resolve()));
  showForm(undefined, ageMs);
  await shown;
  for (const field of new Set(values.map(([one]) => one))) {
    if (isOver()) return void after?.();
    await fill(field, valuesOf(field, values));
  }
  const first = await send(also);
  const second = first && !isOver() ? await next?.(first) : undefined;
  await after?.();
  if (isOver()) return;
  write([...notes, ...endingOf(first, second)]);
};

const endingOf = (first: Sent | undefined, second: Sent | undefined): (Node | string)[] => {
  const last = second ?? first;
  if (!last) return ['It was not answered.'];
  const words = [first, last].flatMap((one) => (one?.read ? [one.read] : []));
  const [one, other] = [...new Set(words)];
  const visitor =
    one === undefined
      ? ['The visitor read nothing new']
      : ['The visitor read ', quote(one), ...(other === undefined ? [] : [', and then ', quote(other)])];
  return [last.says ?? '', ...visitor, '; the owner got ', strong(last.story.got), '.'];
};

const quote = (text: string) => element('q', text);
const strong = (text: string) => element('b', text);
const element = (name: string, text: string) => {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
};
const write = (parts: readonly (Node | string)[]) => byId('ending').replaceChildren(...parts);

onClick('[data-scene]', async (chip) => {
  for (const one of document.querySelectorAll('[data-scene]'))
    one.setAttribute('aria-pressed', String(one === chip));
  // On a narrow page the form is further down.
  byId('scenes').scrollIntoView();
  await play(chip.dataset.scene ?? '');
});
