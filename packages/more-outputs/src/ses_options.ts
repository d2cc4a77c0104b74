/** How Amazon SES reports what becomes of a mail. */
import type { Plugin } from '@form-relay/core/index';
import {
  checked,
  optional,
  outputExtension,
  record,
  schemaLike,
  shown,
  text,
  textSchema,
} from '@form-relay/core/kit';

/** Names and values of tags, and names of configuration sets, are made of these (SES v2, MessageTag). */
const setName = /^[A-Za-z0-9_-]{1,64}$/;
const tagText = /^[A-Za-z0-9_-]{1,256}$/;
const tagLetters = '256 of a to z, A to Z, 0 to 9, _ and -';

/** More than any mail needs, and as many as SES takes. */
const mostTags = 50;

const tagValues = record(
  textSchema((value, at) =>
    tagText.test(value)
      ? value
      : at.error(`found ${shown(value, at)}; expected up to ${tagLetters}: SES takes no other letters`),
  ),
  (name) => (tagText.test(name) ? undefined : `SES takes names of tags of up to ${tagLetters}`),
);

const tags = schemaLike(
  record(text()),
  checked(tagValues, (read, at) => {
    if (read.size > mostTags) at.error(`SES takes at most ${mostTags} tags`);
    return read;
  }),
);

const sesOptions = outputExtension({
  name: 'ses_options',
  types: ['email'],
  keys: {
    configuration_set: optional(
      'The configuration set of SES that the mail goes by, so that bounces and complaints are told to whom it names. Default: that of the sender in SES, if it has one.',
      textSchema((name, at) =>
        setName.test(name)
          ? name
          : at.error(
              `found ${shown(name, at)}; expected the name of a configuration set of SES: up to 64 of a to z, A to Z, 0 to 9, _ and -`,
            ),
      ),
    ),
    tags: optional(
      'Names and values that come with what SES tells of this mail, such as `{form: contact}`. Letters of ASCII, digits, `_` and `-`. Never templated.',
      tags,
    ),
  },
  configure: ({ output: { configuration_set: configurationSet, tags } }) => {
    if (configurationSet === undefined && !tags) return undefined;
    const followed = { configurationSet, tags };
    return {
      wrapTransport: (inner) => ({
        ...inner,
        send: (delivery, timeoutMs) =>
          inner.send({ ...delivery, mail: { ...delivery.mail, followed } }, timeoutMs),
      }),
    };
  },
});

export const plugin: Plugin = { name: 'ses_options', outputExtensions: [sesOptions] };
