/**
 * Where a rendered form goes, and so what becomes of a field whose `visible_when` does not hold: a `fragment`, for a
 * page with htmx, asks for it when it is needed; one to `paste` beside htmx holds it in `noscript`; a `plain` form, for
 * pages without any script, shows it with its condition. So does one for our `script` (views/element), which then hides
 * it; without that it is sent like a plain one. It holds no script of its own, and no braces, so that it passes through
 * any site's build.
 */
export type Medium = 'fragment' | 'paste' | 'plain' | 'script';
