/** The scenarios: each plays with the live form, and ends in what the visitor read and what the owner got. */
import { effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Scenes } from '../../src/scenes.ts';
import type { StoryState } from '../../src/state.ts';
import { post } from '../post.ts';
import { formId, state } from '../store.ts';
import { wait } from './actor.ts';
import { hand } from './hand.ts';
import { freshOf, showForm } from './live_form.ts';
import { pointAtKey } from './point_at.ts';
import { followLink, isWaiting, nextStory, type Sent, send, settled, storyOfRetry } from './sending.ts';

/** The steps that a scenario changes; an `undefined` step goes as with any visitor. */
interface Play {
  /** Said before all else: what the form lacks, and what is done instead. */
  readonly note?: string;
  /** The setting that this scenario is about. */
  readonly key?: string;
  /** How long ago the form was given out. */
  readonly ageMs?: number;
  readonly values?: readonly (readonly [name: string, value: string])[];
  /** Fills all in at once, as no visitor can. */
  readonly isHasty?: boolean;
  /** The address of the form, where it is another one. */
  readonly frame?: string | undefined;
  readonly before?: () => unknown;
  /** A further step, once the form is filled in. */
  readonly also?: () => unknown;
  readonly after?: () => unknown;
  /** Runs when the first answer is there. `goOn` fills in the rest and sends the form. */
  readonly next?: (
    first: Sent,
    goOn: () => Promise<Sent | undefined>,
    tell: Tell,
  ) => Promise<Sent | undefined>;
}

/** Tells how it goes on, and waits until people have read it; `false` when the scenario was ended meanwhile. */
type Tell = (parts: ComponentChildren) => Promise<boolean>;

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
      next: async (first, goOn, tell) => {
        if (first.story && first.story.story.outcome !== 'invalid') return undefined;
        if (!(await tell(['The visitor reads ', quote(first.read), ', and corrects it.']))) return undefined;
        await hand.fill(typo.name, valuesOf(typo.name, samples));
        return goOn();
      },
    };
  },

  bot: ({ bot, decoy }) => {
    const key = bot === 'captcha' ? 'captcha' : `spam.${bot === 'honeypot' ? bot : 'min_fill_seconds'}`;
    if (bot === 'honeypot')
      return {
        key,
        ageMs: 0,
        isHasty: true,
        also: () => hand.giveHidden(decoy ?? '', 'https://spam.example/'),
      };
    if (bot === 'min_fill')
      return {
        key,
        ageMs: 0,
        isHasty: true,
        note: 'There is no honeypot, so only its haste gives the bot away.',
      };
    if (bot === 'captcha')
      return {
        key,
        note: 'There is no honeypot, so it is up to the captcha.',
        also: () => hand.choose('A bot'),
        after: () => hand.choose('A human'),
      };
    return { note: 'This form has no honeypot, min-fill or captcha: what bots send arrives like the rest.' };
  },

  offer: ({ offer }) => (offer ? { key: 'spam.doubt', values: offer } : {}),

  down: ({ down }) => {
    if (!down) return {};
    // The owner may look at another form before it works again.
    const form = formId.value ?? '';
    const set = (fault: string) => post('/studio/fault', { form, output: String(down.output), fault });
    const note = down.isNeeded
      ? down.isMail && 'There is no CRM, so the mail server is down.'
      : `All outputs say on_error: continue, so the visitor learns nothing of it that ${down.type} is down.`;
    return {
      key: `outputs.${down.output}`,
      ...(note && { note }),
      before: () => set('refused'),
      after: () => set(''),
      next: async (first, _, tell) => {
        if (!down.isKept || !first.story || !isWaiting(first.story)) return undefined;
        if (!(await tell(['The visitor reads ', quote(first.read), '. What is owed is kept.'])))
          return undefined;
        await set('');
        if (!(await tell(['It works again, and gets what is kept.']))) return undefined;
        // Pushing the clock on would carry over to all other forms.
        for (const { kept } of first.story.story.outputs)
          if (kept?.state === 'waiting') await post('/studio/retry', { id: kept.id });
        const story = await storyOfRetry();
        return story && { ...first, story: { ...story, visitorGot: '' } };
      },
    };
  },

  stale: ({ staleMs }) => {
    if (staleMs === undefined) return {};
    return {
      note: `The form was opened ${hours(staleMs)} ago.`,
      key: 'spam.min_fill_seconds',
      ageMs: staleMs,
      next: async (first, goOn, tell) => {
        if (first.story?.story.outcome !== 'expired') return undefined;
        // A form with a script sends itself again, with the token that the answer brought.
        const again = await nextStory(1_500);
        if (again)
          return { story: again, ...(await settled('')), says: 'It sent itself again, with a fresh token. ' };
        const goesOn = await tell([
          'The visitor reads ',
          quote(first.read),
          ', and sends it again: all that was typed is still there.',
        ]);
        return goesOn ? goOn() : undefined;
      },
    };
  },

  full: ({ counted }) => {
    // The owner may look at another form before the places are free again.
    const fill = (form: string) => post('/studio/full', { form });
    return {
      key: counted?.length ? 'option_places' : 'places',
      before: () => fill(formId.value ?? ''),
      after: () => fill(''),
    };
  },

  early: ({ opensAt = 0 }) => ({ key: 'opens', ageMs: relayNow() - opensAt + minuteMs }),
  late: ({ closesAt = 0 }) => ({ key: 'closes', ageMs: relayNow() - closesAt - minuteMs }),

  plain: () => ({ frame: state.value?.form?.plain }),
};

const minuteMs = 60_000;
const relayNow = () => Date.now() + (state.value?.aheadMs ?? 0);

const valuesOf = (name: string, samples: Scenes['samples']) =>
  samples.filter(([one]) => one === name).map(([, value]) => value);

/** Its points of doubt, and what they led to, in words. */
const doubtOf = ({ story }: StoryState) => story.checks.find(({ signals = [] }) => signals.length > 0)?.says;
/** Counts those that were begun: another one ends the one before. */
let playing = 0;
/** The scenario that was chosen for this form. */
export const chosenScene = signal<string | undefined>(undefined);
/** Undoes what the one that plays has changed. */
let tidyUp: (() => unknown) | undefined;

/** Ends the one that plays. */
const stop = async () => {
  playing += 1;
  const tidy = tidyUp;
  tidyUp = undefined;
  await tidy?.();
};

const invitation = 'Each fills in the form and sends it, before your eyes.';
/** How the scenario goes on, and ends. */
export const ending = signal<ComponentChildren>(invitation);
const write = (parts: ComponentChildren) => {
  ending.value = parts;
};

/** Plays a scenario of the form that is shown, in place of the one that plays. */
export async function play(name: string): Promise<void> {
  const scenes = state.value?.form?.scenes;
  const make = plays[name];
  if (!scenes || !make) return;
  const about = {
    ...scenes,
    samples: freshOf(scenes.samples),
    offer: scenes.offer && freshOf(scenes.offer),
  };
  chosenScene.value = name;
  const stopped = stop();
  const mine = playing;
  const isOver = () => mine !== playing;
  const { note, key, ageMs = about.readMs, values = about.samples, isHasty, ...steps } = make(about);
  const notes = note === undefined ? '' : `${note} `;
  write([notes, 'Playing …']);
  await stopped;
  if (isOver()) return;
  tidyUp = steps.after;
  await steps.before?.();
  if (isOver()) return;
  await showForm(
    isHasty ? new URLSearchParams(values.map(([one, value]) => [one, value])) : undefined,
    ageMs,
    steps.frame,
  );
  const left = isHasty ? [] : [...new Set(values.map(([one]) => one))];
  const goOn = async (): Promise<Sent | undefined> => {
    for (let field = left[0]; field !== undefined && !isOver(); field = left[0]) {
      if (!(await hand.reach(field))) return { read: await hand.read() };
      await hand.fill(field, valuesOf(field, values));
      left.shift();
    }
    if (isOver()) return undefined;
    await steps.also?.();
    return send(isOver);
  };
  const tell: Tell = async (parts) => {
    write(parts);
    await wait(900);
    return !isOver();
  };
  // A form that is not open says so before anything is typed.
  const closed = await hand.read();
  const first = closed ? { read: closed } : await goOn();
  const second = first && !closed && !isOver() ? await steps.next?.(first, goOn, tell) : undefined;
  const last: Sent | undefined = second ?? first;
  const { link } = last?.story ?? {};
  const third = link !== undefined && !isOver() ? await openLink(link, tell) : undefined;
  if (isOver()) return;
  await stop();
  if (playing > mine + 1) return;
  if (key !== undefined) pointAtKey(key);
  write([notes, endingOf([first, second, third].filter((one) => one !== undefined))]);
}

/** Opens the link of a mail, where the visitor reads what follows. */
const openLink = async (link: string, tell: Tell): Promise<Sent | undefined> => {
  if (!(await tell(['The visitor clicks on the link in the mail.']))) return undefined;
  return followLink(link);
};

const endingOf = (all: readonly Sent[]): ComponentChildren => {
  const last = all.at(-1);
  if (!last?.story)
    return last?.read
      ? ['The visitor read ', quote(last.read), ', and sent nothing.']
      : 'It was not answered.';
  const words = [...new Set([all[0]?.read ?? '', last.read])].filter(Boolean);
  const visitor: ComponentChildren[] = words.flatMap((one, index) => [
    index === 0 ? 'read ' : ', and then ',
    quote(one),
  ]);
  if (last.sentOnTo) visitor.push(`${words.length > 0 ? ', and ' : ''}was sent on to ${last.sentOnTo}`);
  const mails = all.flatMap(({ story }) => story?.visitorGot || []);
  const [mail = ''] = mails;
  // The first mail has a link, the second confirms.
  const got = mails.length > 1 ? mail.replace(/^a mail/, 'two mails') : mail;
  if (got) visitor.push(visitor.length > 0 ? ', and got ' : 'got ', strong(got));
  const doubt = doubtOf(last.story);
  return [
    all.find(({ says }) => says)?.says,
    'The visitor ',
    visitor.length > 0 ? visitor : 'read nothing new',
    '; the owner got ',
    strong(last.story.ownerGot),
    doubt && ['. It scored ', strong(doubt)],
    '.',
  ];
};

const quote = (text: string) => <q dir="auto">{text}</q>;
const strong = (text: string) => <b dir="auto">{text}</b>;

/** Ends what plays when another form is shown. */
export const followScenes = () => {
  let id = formId.peek();
  return effect(() => {
    if (formId.value === id) return;
    id = formId.value;
    chosenScene.value = undefined;
    void stop();
    write(invitation);
  });
};
