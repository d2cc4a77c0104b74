import type { Form, FormOutput, Services } from '@form-relay/core/index';
import { deliverTo } from '@form-relay/core/pipeline/deliver';

const known = new WeakMap<Form, Services>();

/** The form's services without log lines for each try: an attempt has one line of its own, whatever it ends with. */
function quietServices(form: Form): Services {
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

/** The time that a delivery may take, with its retries. */
const budgetMs = 24_000;

type Deliverable = Omit<Parameters<typeof deliverTo>[2], 'formId' | 'deadline' | 'services'>;

/** Delivers to an output without a visitor who waits. The caller logs the result. */
export const deliverQuietly = async (form: Form, place: number, about: Deliverable) =>
  deliverTo(form.outputs[place] as FormOutput, place, {
    ...about,
    formId: form.id,
    services: quietServices(form),
    deadline: form.services.now() + budgetMs,
  });
