import { signal } from '@preact/signals';

/** The part of the form that is built: fields, outputs, protection or languages. */
export const builderTab = signal('fields');
