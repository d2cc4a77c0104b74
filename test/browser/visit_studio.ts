/** An owner's browser that has already opened the studio's URL. */
import { type Stage, type StageOptions, stage } from '../../apps/studio/test/studio/stage.ts';
import { openPage, type Page, type PageOptions } from './stage.ts';

/** Gives the page's browser the cookie for the studio's key. */
export async function signIn(page: Page, { origin, cookie }: Stage): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  // Cookies ignore ports: cookies of earlier tests would be sent, too.
  await page.context().clearCookies({ name: /^relay_studio_/ });
  await page.context().addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Strict' }]);
}

/** Opens "Put it on my site", and enters the relay's address. */
export async function putOnSite(page: Page, address = 'https://relay.example.org'): Promise<void> {
  await page.getByRole('button', { name: 'Put it on my site' }).click();
  await page.getByLabel('Address of the relay').fill(address);
  await page.locator('.site pre').first().waitFor();
}

/** A studio, and its page in a wide window. */
export async function openStudio(given: string | StageOptions, path = '/', options: PageOptions = {}) {
  const at = await stage(typeof given === 'string' ? { config: given } : given);
  const page = await openPage({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  await visit(page, at, path);
  return { at, page };
}

/** @param path Such as `/?tab=build`. */
export async function visit(page: Page, at: Stage, path = '/'): Promise<void> {
  await signIn(page, at);
  await page.goto(at.origin + path);
}
