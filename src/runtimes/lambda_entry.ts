import { startLambda } from './lambda.ts';

/** What Lambda calls: `lambda.handler`. */
export const handler = startLambda();
