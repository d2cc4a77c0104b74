/** Every figure of RESULTS.md that is a ratio to a server, one after the other: `npm run bench`. */
await import('./http.ts');
await import('./smtp.ts');

export {};
