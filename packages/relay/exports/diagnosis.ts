export { type Diagnosis, type DnsRecord, failure, ok, warning } from '../src/transports/diagnosis.ts';
