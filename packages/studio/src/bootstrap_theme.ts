import type { Form, RequestHead } from '@form-relay/relay/base';
import type { ConfigCache } from '@form-relay/relay/config';
import { mapForms } from '@form-relay/relay/dry_run';
import type { Classes } from '@form-relay/relay/features';

/** The config's `classes` for Bootstrap 5, as in docs/styling.md. */
export const bootstrapClasses: Classes = {
  field: 'mb-3',
  label: 'form-label mb-1 fs-6',
  input: 'form-control',
  select: 'form-select',
  check: 'form-check',
  check_input: 'form-check-input',
  help: 'form-text mt-0 mb-1',
  error: 'invalid-feedback d-block mt-0 mb-1',
  button: 'btn btn-primary me-2',
  back: 'btn btn-secondary me-2 mt-2',
};

/** The same forms with Bootstrap's class names; those that the config names stay. The file is not touched. */
export const inBootstrap = (config: ConfigCache): ConfigCache =>
  mapForms(
    config,
    (form: Form): Form => ({
      ...form,
      // A field that was shown before would bring the class names that it had.
      fields: form.fields.map((field) => ({ ...field })),
      classes: { ...bootstrapClasses, ...form.classes },
    }),
  );

/** Where the API of such a relay is. The forms that it gives lead back there. */
export const bootstrapPath = '/bootstrap';

/** The request as the relay below a path sees it; `undefined` for what is not below it. */
export const below = <R extends RequestHead>(mountPath: string, request: R): R | undefined =>
  request.path.startsWith(`${mountPath}/api/`)
    ? { ...request, path: request.path.slice(mountPath.length), mountPath, isMountSure: true }
    : undefined;
