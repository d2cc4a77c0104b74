/** A check: rejects addresses at domains that the form blocks. */
export default (kit) => ({
  name: 'blocklist',
  messages: {
    en: { domain_blocked: 'Please use another address.' },
    de: { domain_blocked: 'Bitte nehmen Sie eine andere Adresse.' },
  },
  features: [
    kit.feature({
      name: 'blocklist',
      keys: {
        spam: {
          blocked_domains: kit.key.optional(
            'Domains whose addresses are refused.',
            kit.key.list(kit.key.text()),
          ),
        },
      },
      configure: ({ spam: { blocked_domains: domains }, fields }) => {
        if (!domains) return undefined;
        const names = fields.filter(({ type }) => type === 'email').map(({ name }) => name);
        const isBlocked = (address) => domains.includes(kit.address.domain(address));
        return {
          cards: [{ name: 'blocklist', says: `refuses addresses at ${domains.join(', ')}` }],
          afterValidation: kit.guard(({ values }) =>
            names.some((name) => values.get(name)?.some(isBlocked))
              ? kit.refused(422, 'domain_blocked')
              : undefined,
          ),
        };
      },
    }),
  ],
});
