import { failures } from '@form-relay/core/base/client_error';

export const mailWords = {
  message_too_large: ({ size, most }: { size: number; most: number }) =>
    `the message is larger than the server takes: ${Math.ceil(size / 1_024)} KB, and at most ${Math.floor(most / 1_024)} KB`,
  dkim_key_malformed: ({ found }: { found: string | undefined }) =>
    `\`dkim.key\` is no private key in PEM format that is RSA of 1024 bits or more, without a passphrase${found === undefined ? '' : `; it is ${found}`}`,
};

export const failed = failures(mailWords);
