/** If a config or environment names what an earlier version read, the error says since when it is gone, why, and what to use. */
import { expect, test } from 'vitest';
import { inspectInLanguages } from '../../../test/support/parse_config.ts';
import { readSettings } from '../../core/src/settings.ts';
import { words } from '../../schema/src/suggestion.ts';

const byRule =
  'a rule of your stylesheet does the same; leave it out, and style this part by its own class (docs/styling.md)';
const ofHtmx = '`relay form html` prints no forms for htmx; leave it out';

const closed = 'a full form is closed; leave it out; for a waiting list, offer a second form, or more places';

const keys: [key: string, why: string][] = [
  [
    'keep.seal_to',
    'the relay cannot retry what it cannot read; leave it out, and set KEEP_SECRET, which encrypts what is kept for the relay',
  ],
  [
    'keep.then',
    'what no output took waits for you, and is never lost; leave it out; relay kept drop --aside --older-than 14d --yes deletes',
  ],
  [
    'bounces',
    'mail providers show and report bounces themselves; leave it out, and have your provider report them',
  ],
  [
    'spam.behaviour',
    'it watched visitors, and was hardly used; leave it out; the other signals of doubt go on, and proof_of_work asks a visitor’s browser',
  ],
  [
    'spam.signals.blocklist.networks',
    'proxies and firewalls block networks before they cost anything; leave it out, and block them there; rate_limit slows down the rest',
  ],
  ['spam.signals.behaviour', 'it watched visitors, and was hardly used; leave it out'],
  ...['httpbl', 'rspamd', 'stopforumspam', 'akismet'].map((name): [string, string] => [
    `spam.signals.${name}`,
    'visitors waited for a third party, which read what they typed; leave it out, and use learned or blocklist, or let the program behind a webhook ask it',
  ]),
  ['spam.signals.price_bait', 'it knew one campaign alone; leave it out; repeated finds what comes again'],
  ['spam.tag_subject', 'filters of mail know X-Form-Doubt; leave it out: subjects begin with [Spam?]'],
  ['spam.signals.disposable', 'blocklist reads the same list; name the file under domains of blocklist'],
  ['spam.proof_field', 'ALTCHA’s widget has the same name; leave it out: the field is altcha'],
  [
    'spam.without_script',
    'whoever has no script types a number; leave it out; against bots that can do so, use a captcha',
  ],
  ['spam.challenge', 'a harder puzzle asks no visitor for anything; leave it out'],
  [
    'captcha.only_in_doubt',
    'doubted visitors solve a puzzle that asks them for nothing; leave out captcha for that puzzle alone, or this key to ask everybody',
  ],
  ['journal', 'the log says the same; leave it out, and read the log (docs/logs.md)'],
  ['stats', 'it was hardly used; leave it out; for pages, use the analytics of your site'],
  [
    'resume',
    'it was hardly used; leave it out, and ask for less or in steps (docs/fields.md); browsers fill in names and addresses by themselves',
  ],
  [
    'origins_unknown',
    'browsers hide origins of people, too; leave it out: submissions without an origin are taken',
  ],
  ...words(
    'title note field_note group group_legend step_title progress required range output check_label invalid summary errors confirmation',
  ).map((part): [string, string] => [`classes.${part}`, byRule]),
  ['classes.legend', 'legends have the class names of labels; leave it out, or name them in label'],
  [
    'remember',
    'browsers fill in names and addresses themselves; leave it out, and set autocomplete on such fields',
  ],
  [
    'fields.remember',
    'browsers fill in names and addresses themselves; leave it out, or write autocomplete: off for what browsers must not keep',
  ],
  ['messages.skipped_time', 'an hour that clocks skip is taken; leave it out'],
  ['when_full', closed],
  ['outputs.waiting', closed],
  ['messages.file_sending', 'the list of chosen files says enough; leave it out'],
  ['messages.waiting_list', 'a full form is closed; leave it out'],
  ['messages.challenge_captcha', 'who is challenged solves a puzzle, or types a number; leave it out'],
  ['messages.without_script', ofHtmx],
  ['messages.without_script_link', ofHtmx],
  ['messages.without_script_label', ofHtmx],
  ['messages.without_script_option', ofHtmx],
];

const lists = ['outputs', 'fields'];

/** `{spam: {signals: {links: 1}}}` for `spam.signals.links`. */
const nested = ([key = '', ...rest]: readonly string[]): Readonly<Record<string, unknown>> => {
  const value = rest.length === 0 ? 1 : nested(rest);
  return { [key]: lists.includes(key) ? [value] : value };
};

test.each(keys)('the key %s', async (key, why) => {
  const part = nested(key.split('.'));
  const configs = [part, { forms: { contact: part } }];
  const problems = await Promise.all(
    configs.map((config) => inspectInLanguages(JSON.stringify(config), 'webform.yaml')),
  );
  const said = problems.flatMap((result) => (result.ok ? [] : result.error));
  expect(said.filter(({ code }) => code === 'key_removed')).not.toEqual([]);
  for (const { message } of said.filter(({ code }) => code === 'key_removed'))
    expect(message).toBe(`removed in 0.2.0, because ${why}`);
});

test.each([
  [
    'WORKERS',
    'one core answers more than a site needs; unset it; for more cores, start several copies (docs/copies.md)',
  ],
  ['LOG_FORMAT', 'programs read the log; unset it; to read it yourself, pipe it through jq (docs/logs.md)'],
  [
    'AWS_USE_FIPS_ENDPOINT',
    'it was hardly used; unset it; for FIPS endpoints, set AWS_ENDPOINT_URL_S3 and its siblings',
  ],
  [
    'AWS_USE_DUALSTACK_ENDPOINT',
    'it was hardly used; unset it; for endpoints with IPv6, set AWS_ENDPOINT_URL_S3 and its siblings',
  ],
])('the variable %s', (name, why) => {
  expect(() => readSettings({ [name]: '1' })).toThrow(`${name}: removed in 0.2.0, because ${why}`);
  for (const off of ['', 'false']) expect(() => readSettings({ [name]: off })).not.toThrow();
});
