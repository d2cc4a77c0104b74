/** All promises by area, the slowest first. */
import type { Area, ProductPromise } from '../promise.ts';
import { answers } from './answers.ts';
import { bodies } from './bodies.ts';
import { captcha } from './captcha.ts';
import { cli } from './cli.ts';
import { config } from './config.ts';
import { cors } from './cors.ts';
import { fanOut } from './fan_out.ts';
import { fields } from './fields.ts';
import { formHtml } from './form_html.ts';
import { fragments } from './fragments.ts';
import { honeypot } from './honeypot.ts';
import { mails } from './mails.ts';
import { methods } from './methods.ts';
import { minFill } from './min_fill.ts';
import { outputs } from './outputs.ts';
import { submissions } from './submissions.ts';
import { templates } from './templates.ts';
import { throttle } from './throttle.ts';
import { wire } from './wire.ts';

/** Names of areas and promises never change. */
const declared: Readonly<Record<string, Area>> = {
  bodies,
  wire,
  submit: submissions,
  fields,
  outputs,
  fan_out: fanOut,
  mails,
  templates,
  honeypot,
  min_fill: minFill,
  captcha,
  form: formHtml,
  fragments,
  cors,
  throttle,
  methods,
  answers,
  config,
  cli,
};

/** Each promise with the defaults of its area. */
const whole = ([name, { promises, ...shared }]: [string, Area]) => {
  const all = Object.entries(promises).map(([id, promise]) => [id, { ...shared, ...promise }]);
  return [name, { promises: Object.fromEntries(all) as Readonly<Record<string, ProductPromise>> }] as const;
};
export const areas = Object.fromEntries(Object.entries(declared).map(whole));
