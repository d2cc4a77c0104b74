/** Stands in every form with entries that repeat, if packages/element/src/element does not send it. */
import { repeatItems } from '../repeat_items.ts';

repeatItems(document.currentScript?.closest('form') as HTMLFormElement);
