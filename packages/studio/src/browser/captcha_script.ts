/** Stands in for a captcha provider's script in the studio's forms. */
import { standInForCaptcha } from './stand_in/captcha.ts';

standInForCaptcha();
