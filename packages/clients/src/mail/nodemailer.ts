/** The parts of nodemailer that compose mails. All builds share them as one file. */
import * as lines from 'nodemailer/lib/mime-funcs';
import MimeNode from 'nodemailer/lib/mime-node';

export default { MimeNode, lines };
