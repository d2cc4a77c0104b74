import type { PhrasesIn } from './phrases_in.ts';

export const de: PhrasesIn = {
  approach: `
    auf ihre website gestoßen, auf ihre webseite gestoßen, auf ihre homepage gestoßen, auf ihr unternehmen
    gestoßen, auf ihre seite gestoßen, besuch ihrer website, besuch ihrer webseite, besuch ihrer homepage,
    ihre website angesehen, ihre webseite angesehen, ihre homepage angesehen, ihre website besucht, ihre
    webseite besucht, auf ihrer webseite haben wir, auf ihrer website haben wir, ist mir aufgefallen dass,
    ist uns aufgefallen dass, das design wirkt, unternehmen wie ihres, unternehmen wie ihre, firmen wie
    ihre, wir sind eine agentur, wir sind eine erfahrene, wir sind eine führende, wir sind ein führender,
    wir sind spezialisiert, wir bieten ihnen, wir bieten professionelle, wir helfen unternehmen, wir
    unterstützen unternehmen, wir optimieren, wir erstellen, wir vermitteln, wir generieren, wir verkaufen,
    wir drehen, wir liefern ihnen, wir bringen sie, wir möchten auf ihrer, gerne erstellen wir, gerne
    unterbreiten wir, hätten sie kapazitäten, verlieren sie kunden, sie suchen neue kunden, für ihr
    unternehmen, ich helfe unternehmen, sehr geehrte geschäftsführung, lassen sie ihre, personalmangel,
    fachkräftemangel, sind sie zufrieden mit, bieten ihnen, ihre website ist nicht, ihre webseite ist nicht
  `,
  goods: `
    seo, suchmaschinenoptimierung, suchmaschinen, google ranking, ranking, seite 1, top 10, ersten seite,
    sichtbarkeit, mehr besucher, mehr kunden, neue kunden, neukunden*, kundengewinnung, leadgenerierung,
    leads, qualifizierte anfragen, qualifizierte termine, google bewertungen, 5 sterne, bewertungen,
    backlink*, linktausch, linkaufbau, gastartikel, gastbeitrag, dofollow, advertorial, webdesign, moderne
    webseiten, moderne websites, neue website, neue webseite, webseiten, erklärvideo*, imagefilm*,
    werbevideo*, online marketing, social media marketing, firmenadressen, adressdaten, datensätze, e mail
    liste, email liste, büroreinigung, reinigungsservice, ki telefonassistent, chatbot*, motivierte
    fachkräfte, fachkräfte aus, photovoltaik, dsgvo verstoß, apps entwickeln, app entwicklung, factoring,
    stromkosten
  `,
  bait: `
    kostenlos*, unverbindlich*, gratis, zum nulltarif, geld zurück, garantiert*, garantie, festpreis*, ab
    99, ab 89, ab 499, nur heute, nur bei erfolg, günstig*, zu günstigen preisen, rabatt, sonderangebot,
    aktionspreis, sparen sie, pro stunde, im monat, euro im monat, pro monat, exklusiv*, umsatz verdoppeln,
    ihren umsatz, für sie kostenlos, diskret
  `,
  ask: `
    haben sie interesse, bei interesse, interesse an, haben interesse, darf ich ihnen, dürfen wir ihnen,
    kann ich ihnen, können wir ihnen, zusenden, kurzes telefonat, kurzes gespräch, erstgespräch,
    beratungsgespräch, termin vereinbaren, jetzt buchen, jetzt testen, jetzt prüfen, kostenlos testen,
    kostenlos prüfen, jetzt anmelden, fordern sie jetzt, fordern sie, antworten sie, melden sie sich, buchen
    sie, sichern sie sich, mehr infos, mehr informationen unter, nennen sie uns, was würde eine
    veröffentlichung, wer ist bei ihnen, der ansprechpartner für, ansprechpartner für das marketing,
    whatsapp, wann passt ihnen
  `,
  scam: `
    geschäftsvorschlag, geschäftliches angebot für sie, sehr geehrter freund, direktor einer bank,
    vertraulich melden, geschäftskredit*, schnelle auszahlung, brauchen sie einen kredit, benötigen sie
    einen kredit, wir bieten kredite, passives einkommen, am tag mit, verdienen sie, diskreter versand,
    online casino*, freispiele, ohne einzahlung, bonus sichern, führerschein kaufen, gewinn abholen, sie
    haben gewonnen, gutschein abholen, wird ihre webseite, wird ihre website, drohen abmahnungen,
    abmahnungen bis, unternehmenskauf, im auftrag von investoren, sofortige finanzierung, negative
    bewertungen löschen, bewertungen kaufen, bewertungen für ihr, am tag mit bitcoin, zinsen ohne,
    prozent zinsen, sie lesen gerade diese, diese nachricht richtig, über deren kontaktformulare, über
    kontaktformulare, millionen webseiten, millionen websites, firmenadressen mit, millionen datensätze,
    datensätze aus, ihren umsatz verdoppeln, umsatz verdoppeln
  `,
  hint: `
    viagra, cialis, potenzmittel, rezeptfrei, begünstigte*, millionen dollar, millionen euro, schwer
    krank, letzte mahnung, läuft ab, innerhalb von 24 stunden, mit bitcoin, bewertungen löschen, für
    weitere einzelheiten, bitte antworten sie mir, ansprechpartner für das marketing, für sie von
    interesse, ihnen spenden, euro spenden, keine erben, privatkredit*, e mail liste, ohne sicherheiten,
    ohne schufa, adressdaten, registriert beim, reisepass, lieber freund, ohne prüfung, ohne
    vorkenntnisse, verstorbenen kunden, verstorbener kunde
  `,
  link: `
    backlink*, linktausch, gastartikel, gastbeitrag, dofollow, advertorial, link kaufen
  `,
  mass: `
    keine weiteren nachrichten, keine weiteren mails, keine weiteren e mails, nicht mehr kontaktiert
    werden, antworten sie mit
  `,
};
