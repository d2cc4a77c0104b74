export * from './collections.ts';
export * from './scalars.ts';
export * from './schema.ts';
export * from './templates.ts';
