/** What the studio's forms load in place of a captcha provider's script. */
import { standInForCaptcha } from './stand_in/captcha.ts';

standInForCaptcha();
