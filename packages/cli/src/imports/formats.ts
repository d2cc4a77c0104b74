/** The tables of formats/. The first that fits a file is its format. */
import formspree from './formats/formspree.json' with { type: 'json' };
import submissions from './formats/formspree_submissions.json' with { type: 'json' };
import google from './formats/google_forms.json' with { type: 'json' };
import typeform from './formats/typeform.json' with { type: 'json' };
import webformRelay from './formats/webform_relay.json' with { type: 'json' };
import type { Format } from './read_format.ts';

export const formats = [
  webformRelay,
  google,
  typeform,
  formspree,
  submissions,
] as unknown as readonly Format[];
