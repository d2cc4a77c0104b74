/** Stands in for what cannot be in a browser, and is never called where nothing is sent: sockets, files, threads. */
export default class Nothing {}
/** Of `node:stream`, for those of nodemailer's encoders that are never used as one. */
export { Nothing as PassThrough, Nothing as Transform };
