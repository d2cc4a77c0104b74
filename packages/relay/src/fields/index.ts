import { Registry } from '../base/late.ts';
import { checkbox } from './checkbox.ts';
import { checkboxes } from './checkboxes.ts';
import { date } from './date.ts';
import { email } from './email.ts';
import { hidden } from './hidden.ts';
import { number } from './number.ts';
import { radios } from './radios.ts';
import { select } from './select.ts';
import { tel } from './tel.ts';
import { text } from './text.ts';
import { textarea } from './textarea.ts';
import { url } from './url.ts';

type FieldType = typeof text;

export const defaultFieldType: FieldType = text;

/** Adding one is one file and one line here. */
const types: Registry<FieldType> = new Registry<FieldType>({
  text,
  email,
  textarea,
  hidden,
  url,
  tel,
  number,
  date,
  time: async () => (await import('./time.ts')).time,
  datetime: async () => (await import('./datetime.ts')).datetime,
  month: async () => (await import('./month.ts')).month,
  select,
  radios,
  checkboxes,
  checkbox,
  consent: async () => (await import('./consent.ts')).consent,
  rating: async () => (await import('./rating.ts')).rating,
  scale: async () => (await import('./scale.ts')).scale,
  range: async () => (await import('./range.ts')).range,
  country: async () => (await import('./country.ts')).country,
  computed: async () => (await import('./computed.ts')).computed,
  address: async () => (await import('./address.ts')).address,
  matrix: async () => (await import('./matrix.ts')).matrix,
  repeat: async () => (await import('./repeat.ts')).repeatOf(types, text),
  ranking: async () => (await import('./ranking.ts')).ranking,
  signature: async () => (await import('./signature.ts')).signature,
  file: async () => (await import('./file.ts')).file,
});

/** Those that load when a config names them. */
export const lateFieldTypes = types.late;

/** Loaded or not. */
export const fieldTypeNames = types.names;

export const fieldTypeOf = (name: unknown): FieldType | undefined => types.get(name);

export const fieldTypes = (): readonly FieldType[] => types.loaded;
