/** Stands in every form with entries that repeat, if packages/element/src/element does not send it. */
import { attach } from '../attach.ts';

attach(document.currentScript?.closest('form') as HTMLFormElement);
