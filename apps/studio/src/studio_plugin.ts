import type { BundledPlugin } from '@form-relay/config/bundled_plugin';
import { feature } from '@form-relay/core/plugin';

/** Gives captchas a script that stands in for their provider's. */
export const studioPlugin: BundledPlugin = {
  name: 'studio',
  owns: [],
  uses: ['form captcha'],
  load: async () => ({
    name: 'studio',
    features: [
      feature({
        name: 'studio_captcha',
        after: ['captcha'],
        before: ['proof', 'captcha_widget'],
        configure: ({ provided }) => {
          const captcha = provided.get('captcha');
          // A form without a site key has a page of its own in production, and none here.
          if (captcha)
            Object.assign(captcha, { script: '/studio/captcha.js', siteKey: captcha.siteKey ?? 'dry-run' });
          return undefined;
        },
      }),
    ],
  }),
};
