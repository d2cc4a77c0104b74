/** Configs for tests not about YAML: `form({ fields: 'name! email:email', outputs: [post(sink)] })`. */

type Keys = Readonly<Record<string, unknown>>;

/** A field's keys, or a short form: `name`, `name!` if it is required, `name:type`, `name:type!`. */
type Field = string | Keys;

interface Form extends Keys {
  /** A list, or fields separated by spaces. Default: `name`. */
  readonly fields?: string | readonly Field[];
  /** Default: a POST to a port on which nothing listens. */
  readonly outputs?: readonly Keys[];
}

/** A config with one form, `contact`; `top` has other top-level keys. */
export const form = (contact: Form, top: Keys = {}): string => config({ contact }, top);

/** A config with several forms. JSON is valid YAML. */
export const config = (forms: Readonly<Record<string, Form>>, top: Keys = {}): string =>
  JSON.stringify({
    ...top,
    forms: Object.fromEntries(Object.entries(forms).map(([id, form]) => [id, written(form)])),
  });

/** An output that posts all fields to a sink, an origin or another URL. */
export const post = (to: string | { readonly origin: string }, keys: Keys = {}): Keys => ({
  type: 'http_post',
  url: typeof to === 'string' ? to : `${to.origin}/`,
  mapping: '*',
  ...keys,
});

/** An output that mails all fields to office@firm.test, through a sink. */
export const mail = ({ port }: { readonly port: number }, keys: Keys = {}): Keys => ({
  type: 'smtp',
  host: '127.0.0.1',
  port,
  from: 'relay@forms.test',
  to: 'office@firm.test',
  mapping: '*',
  ...keys,
});

function written({ fields = 'name', outputs = [post('http://127.0.0.1:9/')], ...keys }: Form): Keys {
  const all = typeof fields === 'string' ? fields.split(' ') : fields;
  return { ...keys, fields: all.map((one) => (typeof one === 'string' ? named(one) : one)), outputs };
}

function named(field: string): Keys {
  const [, name, type, required] = /^([^:!]+)(?::(\w+))?(!)?$/.exec(field) ?? [];
  return { name, ...(type && { type }), ...(required && { required: true }) };
}
