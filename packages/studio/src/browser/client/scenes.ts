/** The scenarios: each plays with the live form, and ends in what the visitor read and what the owner got. */
import type { Scenes } from '../../scenes.ts';
import { until, wait } from './actor.ts';
import { showKey } from './editor.ts';
import { hand, open } from './hand.ts';
import { scenes, showForm } from './live_form.ts';
import { onRefresh } from './live_page.ts';
import { byId, onClick, post, stage } from './page_parts.ts';
import { type Arrival, onArrival, onSequel } from './story_list.ts';

/** What a scenario sees to in its turn; what is `undefined` is as with any visitor. */
interface Play {
  /** Said before all else: what the form lacks, and what is done instead. */
  readonly note?: string;
  /** What makes the difference, as config_lines.ts names it. */
  readonly key?: string;
  /** How long ago the form was given out. */
  readonly ageMs?: number;
  readonly values?: readonly (readonly [name: string, value: string])[];
  /** Fills all in at once, as no visitor can. */
  readonly isHasty?: boolean;
  /** The address of the form, where it is another one. */
  readonly frame?: string | undefined;
  readonly before?: () => unknown;
  /** What else is done to the filled form. */
  readonly also?: () => unknown;
  readonly after?: () => unknown;
  /** What happens when the first answer is there. `goOn` fills in what is left, and sends the form. */
  readonly next?: (
    first: Sent,
    goOn: () => Promise<Sent | undefined>,
    tell: Tell,
  ) => Promise<Sent | undefined>;
}

/** Tells how it goes on, and waits until people have read it; `false` when the scenario was ended meanwhile. */
type Tell = (parts: readonly (Node | string)[]) => Promise<boolean>;

/** One submission, as both sides saw it. */
interface Sent {
  /** `undefined` where a step of the form is not good: nothing was submitted yet. */
  readonly story?: Arrival;
  /** What is to be told of it first. */
  readonly says?: string;
  readonly read: string;
  readonly sentOnTo?: string | undefined;
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
      next: async (first, goOn, tell) => {
        if (first.story && first.story.outcome !== 'invalid') return undefined;
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
    const { form = '' } = stage();
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
        if (!down.isKept || !first.story?.isWaiting) return undefined;
        if (!(await tell(['The visitor reads ', quote(first.read), '. What is owed is kept.'])))
          return undefined;
        await set('');
        if (!(await tell(['It works again, and gets what is kept.']))) return undefined;
        // Pushing the clock on would carry over to all other forms.
        for (const button of document.querySelectorAll<HTMLElement>('.story:first-child [data-retry]'))
          await post('/studio/retry', { id: button.dataset.retry ?? '' });
        const story = await until(() => wentOn.find(({ isWaiting }) => !isWaiting), 10_000);
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
        if (first.story?.outcome !== 'expired') return undefined;
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

  plain: () => ({ frame: stage().plain }),
};

const valuesOf = (name: string, samples: Scenes['samples']) =>
  samples.filter(([one]) => one === name).map(([, value]) => value);

/** Those that came since somebody last looked. */
let arrived: Arrival[] = [];
onArrival.add((arrival) => arrived.push(arrival));
let wentOn: Arrival[] = [];
onSequel.add((arrival) => wentOn.push(arrival));
const nextStory = (ms: number) => until(() => arrived.shift(), ms);

/** What the visitor reads, once the page shows the answer. */
const settled = async (before: string) => {
  const change = async () => {
    const read = await hand.read();
    return (await hand.sentOnTo()) || (read !== before && read);
  };
  const changed = await until(change, 1_500);
  const sentOnTo = await hand.sentOnTo();
  // The same words may come again.
  return { read: changed && !sentOnTo ? changed : await hand.read(), sentOnTo };
};

/** Sends the form, through all steps that are left. */
const send = async (isOver: () => boolean): Promise<Sent | undefined> => {
  for (;;) {
    const step = await hand.stepInView();
    const before = await hand.read();
    const isNextStep = async () => {
      const now = await hand.stepInView();
      return now !== undefined && now !== step;
    };
    arrived = [];
    wentOn = [];
    await hand.press();
    const found = await until(async () => isOver() || (arrived.shift() ?? (await isNextStep())), 30_000);
    if (isOver()) return undefined;
    if (found === true) continue;
    // What is always kept is tried after the answer.
    const story = found?.isDue ? await until(() => wentOn.find(({ isDue }) => !isDue), 1_500) : found;
    return found && { story: story ?? found, ...(await settled(before)) };
  }
};

/** Counts those that were begun: another one ends the one before. */
let playing = 0;
/** The one that was chosen for this form. */
let chosen: string | undefined;
/** Undoes what the one that plays has changed. */
let tidyUp: (() => unknown) | undefined;

/** Ends the one that plays. */
const stop = async () => {
  playing += 1;
  const tidy = tidyUp;
  tidyUp = undefined;
  await tidy?.();
};

const play = async (name: string) => {
  const about = scenes();
  const make = plays[name];
  if (!about || !make) return;
  const stopped = stop();
  const mine = playing;
  const isOver = () => mine !== playing;
  const { note, key, ageMs = about.readMs, values = about.samples, isHasty, ...steps } = make(about);
  const notes = note === undefined ? [] : [`${note} `];
  write([...notes, 'Playing …']);
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
  const first = await goOn();
  const second = first && !isOver() ? await steps.next?.(first, goOn, tell) : undefined;
  const { link } = (second ?? first)?.story ?? {};
  const third = link !== undefined && !isOver() ? await openLink(link, tell) : undefined;
  if (isOver()) return;
  await stop();
  if (playing > mine + 1) return;
  if (key !== undefined) showKey(stage().form ?? '', key);
  write([...notes, ...endingOf([first, second, third].filter((one) => one !== undefined))]);
};

/** Opens the link of a mail, where the visitor reads what follows. */
const openLink = async (link: string, tell: Tell): Promise<Sent | undefined> => {
  if (!(await tell(['The visitor clicks on the link in the mail.']))) return undefined;
  arrived = [];
  await open(link);
  const story = await nextStory(10_000);
  return story && { story, ...(await settled('')) };
};

const endingOf = (all: readonly Sent[]): (Node | string)[] => {
  const last = all.at(-1);
  if (!last?.story) return ['It was not answered.'];
  const words = [...new Set([all[0]?.read ?? '', last.read])].filter(Boolean);
  const visitor = words.flatMap((one, index): (Node | string)[] => [
    index === 0 ? 'read ' : ', and then ',
    quote(one),
  ]);
  if (last.sentOnTo) visitor.push(`${words.length > 0 ? ', and ' : ''}was sent on to ${last.sentOnTo}`);
  const mails = all.map(({ story }) => story?.visitorGot).filter(Boolean) as string[];
  const [mail = ''] = mails;
  // One with a link, and one that confirms.
  const got = mails.length > 1 ? mail.replace(/^a mail/, 'two mails') : mail;
  if (got) visitor.push(`${visitor.length > 0 ? ', and ' : ''}got `, strong(got));
  return [
    all.find(({ says }) => says)?.says ?? '',
    'The visitor ',
    ...(visitor.length > 0 ? visitor : ['read nothing new']),
    '; the owner got ',
    strong(last.story.got),
    ...(last.story.doubt ? ['. It scored ', strong(last.story.doubt)] : []),
    '.',
  ];
};

const quote = (text: string) => element('q', text);
const strong = (text: string) => element('b', text);
const element = (name: string, text: string) => {
  const made = document.createElement(name);
  made.textContent = text;
  made.dir = 'auto';
  return made;
};
const write = (parts: readonly (Node | string)[]) => byId('ending').replaceChildren(...parts);
const invitation = byId('ending').textContent ?? '';

const showChosen = () => {
  for (const chip of document.querySelectorAll<HTMLElement>('[data-scene]'))
    chip.setAttribute('aria-pressed', String(chip.dataset.scene === chosen));
};
onRefresh.add((isOtherForm) => {
  if (isOtherForm) {
    chosen = undefined;
    void stop();
    write([invitation]);
  }
  showChosen();
});

onClick('[data-scene]', async ({ dataset }) => {
  chosen = dataset.scene;
  showChosen();
  // On a narrow page the form is further down.
  byId('scenes').scrollIntoView();
  await play(dataset.scene ?? '');
});
