import type { PhrasesIn } from './phrases_in.ts';

export const en: PhrasesIn = {
  approach: `
    looking at your website, looking at your site, looking through your website, look at your website, look
    at your site, look on your seo, looked at your site, looked at your website, came across your website,
    came across your site, came across your business, came across your blog, came across your company, found
    your website, found your business, found your company, visited your website, visited your site, visiting
    your website, reviewed your website, reviewing your website, checking your website, checked your
    website, going through your website, went through your website, noticed your website, noticed that your
    website, noticed that your site, noticed you linked, browsing your website, your website could, your
    website is missing, your website is not, your website design, your website looks, your website has, is
    not ranking, not ranking well, businesses like yours, business like yours, companies like yours,
    companies like your*, we are a leading, we are a professional, we are an indian, we are a full service,
    we are a team, we are a software, we are a web, we are a digital, we are a manufacturer, we are
    manufacturer, we are professional manufacturer, we are factory, we are * factory, we specialize in, we
    specialise in, we help businesses, we help companies, we help local, we help b2b, helps local
    businesses, help small businesses, our team of, our team helps, our team can, we can help you, can help
    you, i help businesses, i am a web designer, i m a web designer, i am a freelance, i m a freelance, i am
    a professional, from a * factory, i sent you an email, i tried to reach you, reaching out because, i
    wanted to reach out, dear business owner, dear webmaster, dear website owner, dear purchasing manager,
    greetings of the day, are you happy with, are you struggling, do you struggle, are you tired of, are you
    paying too much, do you want more, do you need more, do you need custom, in the market of, missing
    calls, overwhelmed with, my client s site, we offer, we provide, we supply, we can increase, we can
    bring, we can put you, we can provide you, we can redesign, let us redesign, is your business showing,
    have just checked, your website could use, do you struggle to, hire the best, found your site, checked
    you out, we can pull, our expert, helped us boost, your site generating, check out websites, for anyone
    looking to, i have been checking, do you want a quick, i actually help, helps you gain, we apologize if
    this
  `,
  goods: `
    seo, search engine optimi*, search engine marketing, search engine rank*, search visibility, organic
    traffic, targeted traffic, traffic to your, more traffic, more leads, number of leads, first page of
    google, top of google, page one ranking*, google ranking*, rank higher, rank on first, rank on the
    first, ranking on google, your ranks, visitors a day, backlink*, link building, link exchange, link
    insertion*, link placement*, do follow link, dofollow, guest post*, sponsored post*, domain authority,
    high da, web design*, website design*, website development, web development, web developer*, redesign
    your website, mobile friendly website, new website, app development, mobile app, software development,
    dedicated developers, hire developers, explainer video*, 60 second video, animated video*, video
    production, social media marketing, digital marketing, marketing agency, lead generation, qualified
    leads, qualified appointments, qualified potential buyers, pay per lead, email list*, email database,
    contact list*, attendee* list, verified contacts, decision makers, bulk sms, bulk email*, email
    marketing, virtual assistant*, ai receptionist, ai chatbot*, ai visibility, ai agent*, logo concept*,
    professional logo, cleaning services, bookkeeping, credit card processing, processing fees, merchant
    account, injection mold*, cnc machining, catalogue and, catalog and, paper boxes, oem, moq,
    manufacturer, business loan*, working capital, business funding, online reviews, google reviews, explain
    how we, double your revenue, content writing, article* for your blog, seo metrics, sales and leads,
    ranks and sales, customer database, ad words, key phrases, better ranking, more leads today, connecting
    with leads, leads for your business, unlimited emails, fresh articles, product review writing, for
    clicks, our roi, online business, digital business, web visitor*, qualified potential, google search, da
    score, facebook leads, generating leads, your sales, boost sales, instagram followers, real followers
  `,
  bait: `
    free seo, free audit, free website audit, free report, free quote, free quotation, free of charge, free
    trial, free sample*, free mockup, for free, free ai, no obligation, no cost, no risk, money back,
    guarantee, guaranteed, we guarantee, results or, limited time, this week only, today only, special
    offer, exclusive offer, best price, best prices, competitive price*, competitive rates, affordable, low
    cost, save up to, prices start from, prices from, price list, plans start, starting from, starting at,
    starts at, from just, for only, only 29, only 99, per hour, cost effective, a quick audit, costing you
    customers, years experience, years of experience, proven, case studies, past work, our portfolio, send
    over the report, white hat, whitehat, monthly reports, pricing, 100 unique, more customers, more sales,
    more clients, paypal, good quality, factory direct, nda available, 50 off, 60 off, 70 off, free
    shipping, live demo, free 14 day*, free policy check, pricelist, cheap rates, cheap, no win no fee, flat
    rate, one click, no monthly fees, 100x more, 7 figure, once off, proven techniques, proven system
  `,
  ask: `
    are you interested, if you are interested, if you re interested, if interested, interested in finding
    out more, would you be interested, you are interested, know if any interest, let me know if you, let me
    know your, let me know the price, let us know if you, can i send you, may i send you, shall i send you,
    should i send you, i can send you, i will send you, can we provide, may we have, share your contact,
    share your phone, share your price, send me your phone, reply with, reply yes, just reply, reply for,
    reply to this, simply reply, please reply, get back to me, quick call, 10 minute call, 15 minutes of
    your time, schedule a call, book a call, hop on a call, short call, quick question, quick chat, would
    you be open, would that be ok, looking forward to your positive, your positive response, how much do you
    charge, do you accept guest, do you accept sponsored, would you consider adding, who is in charge of,
    better person, right person, best time to call, whatsapp, what s your whatsapp, contact us for, send us
    your, visit us at, check out, check it out, sign up, try it, get started, click here, click below, learn
    more, grab your, claim your, find out more, start your, apply now, let me know in your reply, contact me
    directly, order yours, get yours, buy here, get it now, order my gig, skype, telegram, start increasing,
    see our offers, do let me know, check our, check out our, fill out our, please let me tell you, would
    you like to find out more, let me know when you receive, let me know thanks, thanks let me know
  `,
  scam: `
    business proposal, business proposition, investment proposal, seek your consent, lottery winner,
    funds are available, have funds available, an investor who wishes, dear beloved, barrister, no
    credit check, no collateral, we offer loan*, loan of up to, get a business loan, loan in 24 hours,
    passive income, guaranteed profit, guaranteed return*, risk free profit, make money online, crypt*
    invest*, trading bot, forex trading, join our telegram, telegram group, to explode, per day
    guaranteed, buy viagra, generic pills, online pharmacy, weight loss trick, lose 20 pounds, doctors
    hate, without diet, online casino*, best casino*, free spins, sports betting, claim your bonus,
    replica watches, designer handbags, luxury replica, up to 90 off, 85 off, hot girls, sexy girls,
    write me on telegram, you have won, we have hacked, your databases, leak it, avoid suspension,
    search engine registration, my images at your website, check out this document, with the links to my
    images, porn and gambling, deindex*, earn passive income, interest rate personal, interest rate
    loan, within 24 hours https, contact forms just like, contact form* just like, websites contact
    forms, contact form marketing, contact form blast*, million websites, millions of websites, million
    messages, million emails, your ad message, your ad text, you just read this, read this message didn,
    verified contacts, verified email, send cost, bulk sms, double your revenue, buy 2 get 1, off today
    only, order yours now, buy here, get it while, off free shipping, 7 figure, secret email system,
    competitor customer database, unlimited emails, unlimited lists, if this email is unexpected, huge
    payout, no win no fee, bridge fund, my company can, order my gig, my gigs, no waste time, will be
    dead, have to removed, spam it with, your ad words, cost for * leads, sales and commissions, this is
    the service i
  `,
  hint: `
    next of kin, the beneficiary, as beneficiary, the sum of, million usd, million dollars, million
    euro*, million pounds, late client, deceased client, donation to you, i want to donate, dear friend,
    personal loan, debt consolidation, bad credit ok, viagra, cialis, xanax, tramadol, without
    prescription, no prescription, dating site, single women, serious man, your account has been, verify
    your payment, will be suspended, final notice, will expire, act immediately, copyright infringement,
    copyrighted images, could be sued, you could be sued, negative backlinks, bulk order, do you take
    credit cards, do you accept credit cards, do you own the company, are you the owner, in charge of
    marketing, email list*, attendee* list, job titles, email database, for more details, me for more,
    kindly reply, kindly send, email me back, tried to reach you by phone, get it now, shop now, with
    free shipping, you can reach me using, to your success, bitcoin is, to the address below, work from
    home, from home with, earn money, crypt* trading, domain registration, further procedure, removed
    from google, investing in your company, invest in your company, reply in confidence, 50 off, get
    yours, for the claim, transfer of * btc, 0.1 bitcoin, welcome bonus, claim here, lose weight fast,
    private email, private lender, 80 off, trading system
  `,
  link: `
    backlink*, link exchange, link insertion*, link placement*, do follow link, dofollow, guest post*,
    sponsored post*, high da, link to my client, adding a link, high da score, da score, da between, moz
    da*
  `,
  mass: `
    to unsubscribe click, to unsubscribe visit, to unsubscribe reply, to opt out reply, to opt out
    click, to opt out visit, to opt out of, reply stop, reply no, not interested reply, if you do not
    wish to receive, if you don t wish to receive, if you no longer wish, if you don t want to receive,
    if you do not want to receive, won t contact you again, will not contact you again, remove your site
    from, removed from our list, hi dear this is, hello friend do you, dear purchasing manager, dear
    business owner, dear website owner, you d like to unsubscribe, d like to unsubscribe click, unlike a
    lot of emails
  `,
};
