/** `POST /api/v1/check/{form}`: pages ask of any form whether what was typed so far is right. */
import type { Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/kit';

export const checkPlugin: Plugin = {
  name: 'check',
  features: [
    feature({
      name: 'check',
      configure: () => undefined,
      routes: [
        {
          name: 'check',
          method: 'POST',
          answer: async (call) => (await import('./check_step.ts')).checkStep(call),
        },
      ],
    }),
  ],
};
