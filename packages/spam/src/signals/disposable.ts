import { required } from '@form-relay/core/kit';
import { listFile } from '../lists/list.ts';
import { signal } from './signal.ts';
import { mailAddresses } from './typed.ts';

/** Users of these get their mail: they only hide their own address. Public lists have some of them. */
const aliasServices = new Set(
  `8alias.com 8shield.net addy.io aleeas.com anonaddy.com anonaddy.me dralias.com duck.com icloud.com mozmail.com passfwd.com
   passinbox.com passmail.com passmail.net privaterelay.appleid.com relay.firefox.com silomails.com simplelogin.co
   simplelogin.com simplelogin.fr simplelogin.io slmail.me slmails.com users.noreply.github.com`.split(/\s+/),
);

const isAlias = (domain: string) =>
  aliasServices.has(domain) || aliasServices.has(domain.slice(domain.indexOf('.') + 1));

export const disposable = signal({
  name: 'disposable',
  summary:
    'A mail address at a domain of a list, such as one of disposable addresses. Alias services are spared.',
  weight: 3,
  isDefault: false,
  example: '{file: disposable.txt}',
  keys: {
    file: required(
      'The path of the list, from where the config is: one domain a line (docs/doubt.md).',
      listFile('domains'),
    ),
  },
  look: ({ file }, lists) => {
    const domains = lists.of(file);
    return (seen) => {
      if (!domains) return { silent: 'its list was not read' };
      const isListed = mailAddresses(seen).some((address) => {
        const at = address.lastIndexOf('@');
        const domain = address.slice(at + 1).toLowerCase();
        return at > 0 && !isAlias(domain) && domains.has(domain);
      });
      return isListed ? { strength: 1, why: 'a disposable mail address' } : undefined;
    };
  },
});
