/** Included in every form with a slider that is not sent by packages/element/src/element. */
import { attach } from '../attach.ts';

attach(document.currentScript?.closest('form') as HTMLFormElement);
