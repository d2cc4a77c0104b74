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
    propozycję biznesową, propozycja biznesowa, pożyczka od, szybka pożyczka, bez bik, decyzja w 24,
    zarabiaj, gwarantowany zysk, dochód pasywny, kasyno online, najlepsze kasyno, darmowych spinów,
    wygrałeś, bazę adresów, sprzedam bazę, bazy danych firm, formularzy kontaktowych, milionów stron,
    dla pana propozycję, dla pani propozycję
  `,
  hint: `
    spadek po, milionów dolarów, milionów euro, viagra, bez recepty, ostatnie wezwanie, wygaśnie, w
    ciągu 24 godzin, pożyczki, oprocentowanie, kryptowalut*, bez depozytu, formularze kontaktowe, aby
    poznać szczegóły, bez wychodzenia z domu, zmarłego klienta
  `,
  link: `
    artykuły sponsorowane, linkiem dofollow, dofollow, wymiana linków, linki zwrotne
  `,
  mass: `
    zrezygnować z otrzymywania, wypisać się, odpisz nie, nie chcesz otrzymywać
  `,
};
