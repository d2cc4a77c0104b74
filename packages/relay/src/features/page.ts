import { pageContextOf, pageFields } from '../base/page_context.ts';
import { feature } from './feature.ts';

/** Asks for the page on which the form is filled in (D85). */
export const page = feature({
  name: 'page',
  settings: ({ form }: { readonly form: { readonly page: boolean } }) => form.page || undefined,
  names: () => Object.values(pageFields),
  stages: () => ({
    read: (sent, { headers }, { allowedOrigins }) => pageContextOf(sent, headers, allowedOrigins),
  }),
});
