import type { PhrasesIn } from './phrases_in.ts';

export const it: PhrasesIn = {
  approach: `
    visitato il vostro sito, visitato il suo sito, visitando il vostro sito, guardando il vostro sito, ho
    notato che, abbiamo notato che, il vostro sito non, aziende come la vostra, attività come la vostra,
    siamo un agenzia, siamo un azienda, siamo una società, siamo produttori, siamo specializzati, la nostra
    agenzia, il nostro team, ci occupiamo di, si occupa di, offriamo servizi, offriamo, vi proponiamo,
    aiutiamo le aziende, possiamo aiutarvi, vorremmo inserire, vendiamo
  `,
  goods: `
    seo, posizionamento, motori di ricerca, prima pagina, traffico, siti internet, siti web, realizzazione
    siti, web design, backlink*, scambio link, guest post, articoli sponsorizzati, link dofollow, dofollow,
    link building, nuovi clienti, più clienti, lead, appuntamenti qualificati, database email, contatti
    aggiornati, elenchi email, pulizia per uffici, servizi di pulizia, social media marketing, marketing
    digitale, video aziendali, sviluppo app
  `,
  bait: `
    gratuit*, gratis, senza impegno, preventivo gratuito, analisi gratuita, a partire da, offerta valida,
    offerta speciale, solo questa settimana, solo 120, prezzi competitivi, prezzi vantaggiosi, sconto,
    garantit*, soddisfatti o rimborsati, in 24 ore
  `,
  ask: `
    siete interessati, se siete interessati, se interessati, sareste interessati, le interessa, vi
    interessa, posso inviarvi, posso inviarle, possiamo inviarvi, breve chiamata, rispondete a questo,
    rispondete, richiedete un, accettate guest, accettate articoli, qual è il costo, iscriviti ora,
    contattateci, clicca qui, maggiori dettagli, whatsapp
  `,
  scam: `
    proposta di affari, proposta d affari, offerta di prestito, prestito tra privati, prestito urgente,
    senza busta paga, reddito passivo, spedizione anonima, casinò online, miglior casinò, giri gratis,
    hai vinto, con il trading, da casa con, database email, elenchi email, milioni di siti
  `,
  hint: `
    eredità, beneficiario, milioni di dollari, milioni di euro, viagra, cialis, senza ricetta, ultimo
    avviso, sarà sospeso, entro 24 ore, potrebbe interessarle, per maggiori dettagli, moduli di
    contatto, fare una donazione, al tasso del, senza deposito, criptovalute, prego di rispondermi,
    contatti aggiornati, cliente deceduto
  `,
  link: `
    backlink*, scambio link, guest post, articoli sponsorizzati, link dofollow, dofollow, link building
  `,
  mass: `
    non ricevere altri, non ricevere più, rispondere cancella, non desiderate ricevere
  `,
};
