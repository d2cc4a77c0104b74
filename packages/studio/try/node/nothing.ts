/** Stands in for what cannot be in a browser, and is never called where nothing is sent: sockets, files, threads. */
export default class Nothing {}
/** Stand in for `node:stream` in those of nodemailer's encoders that are never used as streams. */
export { Nothing as PassThrough, Nothing as Transform };
