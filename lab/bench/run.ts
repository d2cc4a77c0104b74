/** The ratios of RESULTS.md, one after the other: `npm run bench`. */
await import('./http.ts');
await import('./smtp.ts');
await import('./render.ts');
await import('./template.ts');
await import('./sign.ts');

export {};
