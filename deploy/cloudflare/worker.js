import { Counts, createWorker } from 'form-relay/cloudflare';
import config from './webform.yaml';

export { Counts };
export default createWorker({ config });
