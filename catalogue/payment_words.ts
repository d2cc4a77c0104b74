/** The texts of `payment`, by language. */
export const words = {
  ar: {
    payment_next: 'يرجى إتمام الدفع الآن. لن تُسلَّم بياناتك قبل الدفع.',
    payment_cancelled: 'أُلغي الدفع، ولم يُسلَّم شيء. يمكنك إرسال النموذج من جديد.',
  },
  cs: {
    payment_next: 'Nyní prosím zaplaťte. Údaje doručíme po zaplacení.',
    payment_cancelled: 'Platba byla zrušena a nic nebylo doručeno. Formulář můžete odeslat znovu.',
  },
  da: {
    payment_next: 'Betal venligst nu. Det, du har sendt, bliver leveret efter betalingen.',
    payment_cancelled: 'Betalingen blev annulleret, og intet er leveret. Du kan sende formularen igen.',
  },
  de: {
    payment_next: 'Bitte bezahlen Sie jetzt. Ihre Angaben werden nach der Zahlung zugestellt.',
    payment_cancelled:
      'Die Zahlung wurde abgebrochen, daher wurde nichts zugestellt. Sie können das Formular erneut senden.',
  },
  en: {
    payment_next: 'Please pay now. We receive your form once the payment is complete.',
    payment_cancelled: 'The payment was cancelled, so your form was not delivered. You can send it again.',
  },
  es: {
    payment_next: 'Pague ahora, por favor. Lo que envió se entregará cuando esté pagado.',
    payment_cancelled: 'El pago se canceló y no se entregó nada. Puede enviar el formulario otra vez.',
  },
  fi: {
    payment_next: 'Maksa nyt. Lähettämäsi tiedot toimitetaan, kun maksu on suoritettu.',
    payment_cancelled: 'Maksu peruttiin, eikä mitään toimitettu. Voit lähettää lomakkeen uudelleen.',
  },
  fr: {
    payment_next: 'Veuillez payer maintenant. Votre envoi sera transmis une fois payé.',
    payment_cancelled:
      'Le paiement a été annulé et rien n’a été transmis. Vous pouvez renvoyer le formulaire.',
  },
  he: {
    payment_next: 'נא לשלם עכשיו. מה ששלחת יימסר לאחר התשלום.',
    payment_cancelled: 'התשלום בוטל ולא נמסר דבר. אפשר לשלוח את הטופס שוב.',
  },
  it: {
    payment_next: 'Effettui ora il pagamento. I dati inviati saranno consegnati dopo il pagamento.',
    payment_cancelled:
      'Il pagamento è stato annullato e nulla è stato consegnato. Può inviare di nuovo il modulo.',
  },
  ja: {
    payment_next: 'お支払いをお願いします。送信内容はお支払い後に届けられます。',
    payment_cancelled: 'お支払いは取り消され、何も届けられていません。もう一度送信できます。',
  },
  ko: {
    payment_next: '지금 결제해 주세요. 보내신 내용은 결제 후 전달됩니다.',
    payment_cancelled: '결제가 취소되어 아무것도 전달되지 않았습니다. 양식을 다시 보낼 수 있습니다.',
  },
  nl: {
    payment_next: 'Betaal nu. Wat u hebt verstuurd, wordt na de betaling bezorgd.',
    payment_cancelled:
      'De betaling is geannuleerd en er is niets bezorgd. U kunt het formulier opnieuw versturen.',
  },
  pl: {
    payment_next: 'Prosimy o płatność. Wysłane dane zostaną dostarczone po opłaceniu.',
    payment_cancelled: 'Płatność anulowano i nic nie dostarczono. Formularz można wysłać ponownie.',
  },
  pt: {
    payment_next: 'Pague agora, por favor. O que enviou será entregue depois de pago.',
    payment_cancelled: 'O pagamento foi cancelado e nada foi entregue. Pode enviar o formulário de novo.',
  },
  sv: {
    payment_next: 'Betala nu. Det du skickade levereras när det är betalt.',
    payment_cancelled: 'Betalningen avbröts och inget levererades. Du kan skicka formuläret igen.',
  },
  tr: {
    payment_next: 'Lütfen şimdi ödeyin. Gönderdikleriniz ödemeden sonra iletilir.',
    payment_cancelled: 'Ödeme iptal edildi ve hiçbir şey iletilmedi. Formu yeniden gönderebilirsiniz.',
  },
  uk: {
    payment_next: 'Сплатіть зараз, будь ласка. Надіслане буде доставлено після оплати.',
    payment_cancelled: 'Платіж скасовано, нічого не доставлено. Ви можете надіслати форму ще раз.',
  },
  zh: {
    payment_next: '请现在付款。付款后，您提交的内容才会送达。',
    payment_cancelled: '付款已取消，内容未送达。您可以重新提交表单。',
  },
};
