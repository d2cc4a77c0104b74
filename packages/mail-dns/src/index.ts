export { type Diagnosis, type DnsRecord, failure, ok, warning } from './diagnosis.ts';
export { consequenceOf, type Dmarc, readDmarc } from './dmarc.ts';
export { byAsking, type Dns, publicDns, type Resolver } from './dns.ts';
export { spfOf } from './spf_of_sender.ts';
