import type { PhrasesIn } from './phrases_in.ts';

export const pl: PhrasesIn = {
  approach: `
    odwiedziłem państwa stronę, odwiedziłam państwa stronę, przeglądając państwa stronę, trafiłem na państwa
    stronę, zauważyłem że, zauważyłam że, firmy takie jak, jesteśmy agencją, jesteśmy firmą, jesteśmy
    producentem, oferujemy, tworzymy nowoczesne, tworzymy strony, pomagamy firmom, zwiększymy, nasza
    agencja, nasza firma, chcielibyśmy opublikować, specjalizujemy się
  `,
  goods: `
    seo, pozycjonowani*, pierwszej stronie google, strony internetowe, strony www, ruch na stronie, nowych
    klientów, więcej klientów, artykuły sponsorowane, link* dofollow, linkiem dofollow, dofollow, wymiana
    linków, linki, bazę adresów, baza firm, bazy danych, rekordów, usługi sprzątania, sprzątanie biur,
    marketing internetowy, reklama w google, aplikacje mobilne
  `,
  bait: `
    bezpłatn*, darmow*, gratis, bez zobowiązań, promocja, tylko do końca, tylko 199, już od, gwarancj*,
    gwarantowan*, rabat, konkurencyjne ceny, atrakcyjne ceny, niska cena, skuteczn*
  `,
  ask: `
    czy są państwo zainteresowani, jeśli są państwo zainteresowani, czy mogę przesłać, czy możemy przesłać,
    czy mogę wysłać, proszę o cennik, proszę o odpowiedź, krótka rozmowa, umówić się na, odpisz, zarejestruj
    się, zadzwoń, kliknij, przyjmują państwo artykuły, whatsapp, zapraszam do kontaktu
  `,
  scam: `
    propozycję biznesową, propozycja biznesowa, aby poznać szczegóły, spadek po, milionów dolarów, milionów
    euro, zmarłego klienta, pożyczka od, szybka pożyczka, pożyczki, bez bik, oprocentowanie, decyzja w 24,
    zarabiaj, bez wychodzenia z domu, kryptowalut*, gwarantowany zysk, dochód pasywny, kasyno online,
    najlepsze kasyno, bez depozytu, darmowych spinów, viagra, bez recepty, wygrałeś, ostatnie wezwanie,
    wygaśnie, w ciągu 24 godzin, bazę adresów, sprzedam bazę, bazy danych firm, formularze kontaktowe,
    formularzy kontaktowych, milionów stron, dla pana propozycję, dla pani propozycję
  `,
  link: `
    artykuły sponsorowane, linkiem dofollow, dofollow, wymiana linków, linki zwrotne
  `,
  mass: `
    zrezygnować z otrzymywania, wypisać się, odpisz nie, nie chcesz otrzymywać
  `,
};
