import { optional, required } from '@form-relay/schema/schema';
import { logOdds, type Seeds, seedsOf, strengthOf } from '../lists/model.ts';
import { listFile } from '../lists/read_list.ts';
import { type SignalResult, signal } from './signal.ts';
import { domainsIn, freeTexts, mailAddresses } from './typed.ts';

export const blocklist = signal({
  name: 'blocklist',
  summary: 'Words, mail addresses or domains from your own lists. A single match adds all points.',
  weight: 6,
  example: '{words: words.txt}',
  keys: {
    words: optional('Words and phrases in texts, one per line.', listFile('words')),
    addresses: optional('Mail addresses, one per line.', listFile('addresses')),
    domains: optional(
      'Domains of mail and web addresses, with their subdomains, one per line.',
      listFile('domains'),
    ),
  },
  problem: ({ words, addresses, domains }) =>
    words || addresses || domains
      ? undefined
      : 'expected words, addresses or domains, each with the path of a list',
  score: (files, lists) => {
    const words = files.words && lists.of(files.words);
    const addresses = files.addresses && lists.of(files.addresses);
    const domains = files.domains && lists.of(files.domains);
    const isUnread = Object.values(files).some((file) => file && !lists.of(file));
    return (seen): SignalResult => {
      const phrases = words ? freeTexts(seen).reduce((sum, text) => sum + words.count(text), 0) : 0;
      const found = [
        phrases > 0 && (phrases === 1 ? 'a listed word or phrase' : `${phrases} listed words or phrases`),
        addresses && mailAddresses(seen).some((one) => addresses.has(one)) && 'a listed mail address',
        domains && [...domainsIn(seen)].some((one) => domains.has(one)) && 'a listed domain',
      ].filter((why) => typeof why === 'string');
      if (found.length > 0) return { score: 1, why: found.join(', ') };
      return isUnread ? { silent: 'the lists could not be read' } : undefined;
    };
  },
});

/** No false alarm in this many newer genuine messages bounds the false-alarm rate at half a percent (rule of three). */
export const enoughPeople = 600;

/** The environment variable for the key, without which the contents of a model stay secret. */
export const learnedKey = 'SPAM_MODEL_KEY';

export const learned = signal({
  name: 'learned',
  summary:
    'Texts like those that you marked as spam, by a model that `relay rules learn` writes. The weight depends on how well the model judged your newer messages.',
  weight: 6,
  example: '{model: spam.model}',
  needs: [learnedKey],
  keys: {
    model: required(
      'Path of the model, relative to the config, as `relay rules learn` writes it (docs/learned.md).',
      listFile('model'),
    ),
  },
  model: ({ model }, lists) => ({ path: model.path, read: lists.of(model)?.model }),
  score: ({ model: file }, lists) => {
    const model = lists.of(file)?.model;
    let seeds: Seeds | undefined;
    return (seen, { services }) => {
      if (!model) return { silent: 'the model could not be read' };
      const key = services.env(learnedKey) ?? '';
      if (key === '') return { silent: `${learnedKey} is not set` };
      seeds ??= seedsOf(key);
      if (seeds.check !== model.check) return { silent: `the model was made with another ${learnedKey}` };
      const score = strengthOf(model, logOdds(model, freeTexts(seen), seeds));
      return score > 0
        ? {
            score,
            why: `according to a model trained on ${model.spam} spam messages`,
            staysBelow: model.people < enoughPeople ? 'actions' : 'drop',
          }
        : undefined;
    };
  },
});
