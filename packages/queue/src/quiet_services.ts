import type { Form, Services } from '@form-relay/core/index';

const known = new WeakMap<Form, Services>();

/** The form's services without log lines for each try: an attempt has one line of its own, whatever it ends with. */
export function quietServices(form: Form): Services {
  let quiet = known.get(form);
  if (!quiet) {
    const { services } = form;
    quiet = {
      ...services,
      log: (level, event, fields) => {
        if (event !== 'retrying' && event !== 'delivery_failed') services.log(level, event, fields);
      },
    };
    known.set(form, quiet);
  }
  return quiet;
}
