import { member } from './member.ts';

/** The site's own rules must not show what does not apply. Only what is set here is taken back. */
export function show(element: HTMLElement, isShown: boolean): void {
  const style = member(element, 'style');
  if (!isShown) style.setProperty('display', 'none', 'important');
  else if (style.getPropertyPriority('display')) style.removeProperty('display');
}
