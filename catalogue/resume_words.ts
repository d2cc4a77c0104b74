/** The texts of `resume`, by language and code. */
export const words = {
  en: {
    resume_button: 'Save for later: send me a link',
    resume_sent:
      'We have sent you an e-mail with a link. Open it on any device to continue where you left off.',
    resume_subject: '{form}: your saved form',
    resume_text:
      'Here is the link to continue the form “{form}”. The link works until {time}. If you did not ask for this e-mail, please ignore it.',
    resume_open: 'Continue the form',
    resume_too_long: 'This text is too long for a link. Please shorten it.',
    resume_expired: 'This link has expired. You can fill in the form again.',
    resume_unknown:
      'This link is not complete, so nothing was filled in. Please open the whole link, or fill in the form yourself.',
    resume_keep: 'Save for later',
    resume_saved: 'Keep this link to continue where you left off. The link works until {time}.',
    resume_address: 'Enter your e-mail address to get the link.',
    resume_changed:
      'The form has changed since you saved it. Entries that no longer fit were left out: please check the rest.',
    resume_files: 'Files are not saved. Please choose them again: {files}',
  },
  ar: {
    resume_button: 'المتابعة لاحقًا: أرسلوا إليّ رابطًا',
    resume_sent: 'أرسلنا إليك رسالة إلكترونية فيها رابط. يفتح هذا النموذج مع ما ملأته، على أي جهاز.',
    resume_subject: '{form}: نموذجك المحفوظ',
    resume_text:
      'هذا هو الرابط لمتابعة النموذج «{form}». وهو صالح حتى {time}. إن لم تطلبه، يُرجى تجاهل هذه الرسالة.',
    resume_open: 'متابعة النموذج',
    resume_too_long: 'هذا النص أطول من أن يتسع له رابط. يُرجى اختصاره.',
    resume_expired: 'انتهت صلاحية هذا الرابط. يمكنك ملء النموذج من جديد.',
    resume_unknown: 'هذا الرابط غير كامل، لذلك لم يُملأ شيء. يُرجى فتح الرابط كاملًا أو ملء النموذج.',
    resume_keep: 'حفظ لوقت لاحق',
    resume_saved: 'احتفظ بهذا الرابط. يفتح هذا النموذج مع ما ملأته، ويعمل حتى {time}.',
    resume_address: 'أدخل عنوان بريدك الإلكتروني الذي يُرسل إليه الرابط.',
    resume_changed: 'تغيّر النموذج منذ حفظه. تُرك ما لم يعد مناسبًا: يُرجى مراجعة إجاباتك.',
    resume_files: 'لا تُحفظ الملفات. يُرجى اختيارها مرة أخرى: {files}',
  },
  cs: {
    resume_button: 'Pokračovat později: poslat mi odkaz',
    resume_sent:
      'Poslali jsme vám e-mail s odkazem. Otevře tento formulář s tím, co jste vyplnili, na jakémkoli zařízení.',
    resume_subject: '{form}: váš uložený formulář',
    resume_text:
      'Zde je odkaz, se kterým můžete pokračovat ve formuláři „{form}“. Platí do {time}. Pokud jste o něj nežádali, e-mail prosím ignorujte.',
    resume_open: 'Pokračovat ve formuláři',
    resume_too_long: 'Tento text je pro odkaz příliš dlouhý. Zkraťte jej prosím.',
    resume_expired: 'Platnost tohoto odkazu vypršela. Formulář můžete vyplnit znovu.',
    resume_unknown:
      'Tento odkaz není úplný, proto nebylo nic vyplněno. Otevřete prosím celý odkaz, nebo formulář vyplňte sami.',
    resume_keep: 'Uložit na později',
    resume_saved: 'Uschovejte si tento odkaz. Otevře formulář s tím, co jste vyplnili, a platí do {time}.',
    resume_address: 'Zadejte svou e-mailovou adresu, na kterou se odkaz pošle.',
    resume_changed:
      'Formulář se od uložení změnil. Co už neodpovídá, bylo vynecháno: zkontrolujte prosím své údaje.',
    resume_files: 'Soubory se neukládají. Vyberte je prosím znovu: {files}',
  },
  da: {
    resume_button: 'Fortsæt senere: send mig et link',
    resume_sent:
      'Vi har sendt dig en e-mail med et link. Det åbner formularen med det, du har udfyldt, på en hvilken som helst enhed.',
    resume_subject: '{form}: din gemte formular',
    resume_text:
      'Her er linket til at fortsætte med formularen »{form}«. Det gælder til den {time}. Hvis du ikke har bedt om det, så se bort fra denne e-mail.',
    resume_open: 'Fortsæt med formularen',
    resume_too_long: 'Teksten er for lang til et link. Gør den kortere.',
    resume_expired: 'Linket er udløbet. Du kan udfylde formularen forfra.',
    resume_unknown:
      'Linket er ikke fuldstændigt, så intet blev udfyldt. Åbn hele linket, eller udfyld selv formularen.',
    resume_keep: 'Gem til senere',
    resume_saved: 'Gem dette link. Det åbner formularen med det, du har udfyldt, og virker indtil {time}.',
    resume_address: 'Indtast din e-mailadresse, som linket sendes til.',
    resume_changed:
      'Formularen er ændret, siden du gemte den. Det, der ikke længere passer, er udeladt: kontrollér dine oplysninger.',
    resume_files: 'Filer gemmes ikke. Vælg dem igen: {files}',
  },
  de: {
    resume_button: 'Später fortsetzen: Link per E-Mail senden',
    resume_sent:
      'Wir haben Ihnen eine E-Mail mit einem Link geschickt. Er öffnet dieses Formular mit Ihren Eingaben, auf jedem Gerät.',
    resume_subject: '{form}: Ihr gespeichertes Formular',
    resume_text:
      'Mit diesem Link können Sie das Formular „{form}“ fortsetzen. Er ist gültig bis {time}. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail bitte.',
    resume_open: 'Formular fortsetzen',
    resume_too_long: 'Dieser Text ist zu lang für einen Link. Bitte kürzen Sie ihn.',
    resume_expired: 'Dieser Link ist abgelaufen. Sie können das Formular neu ausfüllen.',
    resume_unknown:
      'Dieser Link ist nicht vollständig, deshalb wurde nichts ausgefüllt. Bitte öffnen Sie den ganzen Link, oder füllen Sie das Formular selbst aus.',
    resume_keep: 'Für später speichern',
    resume_saved:
      'Bewahren Sie diesen Link auf. Er öffnet dieses Formular mit Ihren Eingaben und gilt bis {time}.',
    resume_address: 'Geben Sie Ihre E-Mail-Adresse ein, um den Link zu erhalten.',
    resume_changed:
      'Das Formular hat sich seit dem Speichern geändert. Was nicht mehr passt, fehlt: Bitte prüfen Sie Ihre Eingaben.',
    resume_files: 'Dateien werden nicht gespeichert. Bitte wählen Sie sie noch einmal aus: {files}',
  },
  es: {
    resume_button: 'Continuar más tarde: enviarme un enlace',
    resume_sent:
      'Le hemos enviado un correo con un enlace. Abre este formulario con lo que ha rellenado, en cualquier dispositivo.',
    resume_subject: '{form}: su formulario guardado',
    resume_text:
      'Este es el enlace para continuar el formulario «{form}». Es válido hasta el {time}. Si no lo ha pedido, no haga caso de este correo.',
    resume_open: 'Continuar el formulario',
    resume_too_long: 'Este texto es demasiado largo para un enlace. Acórtelo, por favor.',
    resume_expired: 'Este enlace ha caducado. Puede rellenar el formulario de nuevo.',
    resume_unknown:
      'Este enlace no está completo, por lo que no se ha rellenado nada. Abra el enlace entero o rellene el formulario, por favor.',
    resume_keep: 'Guardar para más tarde',
    resume_saved: 'Guarde este enlace. Abre este formulario con lo que ha rellenado y sirve hasta el {time}.',
    resume_address: 'Escriba su dirección de correo electrónico, a la que se envía el enlace.',
    resume_changed:
      'El formulario ha cambiado desde que lo guardó. Lo que ya no encaja se ha omitido: revise sus datos, por favor.',
    resume_files: 'Los archivos no se guardan. Elíjalos de nuevo, por favor: {files}',
  },
  fi: {
    resume_button: 'Jatka myöhemmin: lähetä minulle linkki',
    resume_sent:
      'Lähetimme sinulle sähköpostin, jossa on linkki. Se avaa tämän lomakkeen ja täyttämäsi tiedot millä tahansa laitteella.',
    resume_subject: '{form}: tallennettu lomakkeesi',
    resume_text:
      'Tällä linkillä voit jatkaa lomaketta ”{form}”. Linkki on voimassa {time} asti. Jos et pyytänyt sitä, jätä tämä viesti huomiotta.',
    resume_open: 'Jatka lomaketta',
    resume_too_long: 'Teksti on liian pitkä linkkiin. Lyhennä sitä.',
    resume_expired: 'Linkki on vanhentunut. Voit täyttää lomakkeen alusta.',
    resume_unknown:
      'Linkki on puutteellinen, joten mitään ei täytetty. Avaa koko linkki tai täytä lomake itse.',
    resume_keep: 'Tallenna myöhempää varten',
    resume_saved: 'Säilytä tämä linkki. Se avaa lomakkeen täyttäminesi tietoineen ja toimii {time} asti.',
    resume_address: 'Anna sähköpostiosoitteesi, johon linkki lähetetään.',
    resume_changed:
      'Lomake on muuttunut tallentamisen jälkeen. Se, mikä ei enää sovi, jätettiin pois: tarkista tietosi.',
    resume_files: 'Tiedostoja ei tallenneta. Valitse ne uudelleen: {files}',
  },
  fr: {
    resume_button: 'Continuer plus tard : m’envoyer un lien',
    resume_sent:
      'Nous vous avons envoyé un e-mail avec un lien. Il ouvre ce formulaire avec vos réponses, sur n’importe quel appareil.',
    resume_subject: '{form} : votre formulaire enregistré',
    resume_text:
      'Voici le lien pour continuer le formulaire « {form} ». Il est valable jusqu’au {time}. Si vous ne l’avez pas demandé, veuillez ignorer cet e-mail.',
    resume_open: 'Continuer le formulaire',
    resume_too_long: 'Ce texte est trop long pour un lien. Veuillez le raccourcir.',
    resume_expired: 'Ce lien a expiré. Vous pouvez remplir le formulaire de nouveau.',
    resume_unknown:
      'Ce lien n’est pas complet, rien n’a donc été rempli. Veuillez ouvrir le lien entier ou remplir le formulaire vous-même.',
    resume_keep: 'Enregistrer pour plus tard',
    resume_saved:
      'Conservez ce lien. Il ouvre ce formulaire avec vos réponses et fonctionne jusqu’au {time}.',
    resume_address: 'Saisissez votre adresse e-mail, à laquelle le lien est envoyé.',
    resume_changed:
      'Le formulaire a changé depuis l’enregistrement. Ce qui ne convient plus a été omis : veuillez vérifier vos réponses.',
    resume_files: 'Les fichiers ne sont pas enregistrés. Veuillez les choisir de nouveau : {files}',
  },
  he: {
    resume_button: 'להמשיך מאוחר יותר: שלחו לי קישור',
    resume_sent: 'שלחנו אליך הודעה עם קישור. הוא פותח את הטופס הזה עם מה שמולא, בכל מכשיר.',
    resume_subject: '{form}: הטופס השמור שלך',
    resume_text:
      'זה הקישור להמשך מילוי הטופס „{form}”. הוא בתוקף עד {time}. אם הקישור לא התבקש, נא להתעלם מההודעה.',
    resume_open: 'המשך מילוי הטופס',
    resume_too_long: 'הטקסט הזה ארוך מדי לקישור. נא לקצר אותו.',
    resume_expired: 'תוקף הקישור פג. אפשר למלא את הטופס מחדש.',
    resume_unknown: 'הקישור אינו שלם, ולכן דבר לא מולא. נא לפתוח את הקישור המלא או למלא את הטופס.',
    resume_keep: 'שמירה להמשך',
    resume_saved: 'כדאי לשמור את הקישור הזה. הוא פותח את הטופס עם מה שמולא, ופועל עד {time}.',
    resume_address: 'נא להזין את כתובת הדוא״ל שאליה יישלח הקישור.',
    resume_changed: 'הטופס השתנה מאז השמירה. מה שכבר אינו מתאים הושמט: נא לבדוק את התשובות.',
    resume_files: 'קבצים אינם נשמרים. נא לבחור אותם שוב: {files}',
  },
  it: {
    resume_button: 'Continua più tardi: inviami un link',
    resume_sent:
      'Le abbiamo inviato un’e-mail con un link. Apre questo modulo con quanto ha compilato, su qualsiasi dispositivo.',
    resume_subject: '{form}: il suo modulo salvato',
    resume_text:
      'Ecco il link per continuare il modulo «{form}». Scadenza: {time}. Se non lo ha richiesto, ignori questa e-mail.',
    resume_open: 'Continua il modulo',
    resume_too_long: 'Questo testo è troppo lungo per un link. Lo accorci.',
    resume_expired: 'Questo link è scaduto. Può compilare il modulo da capo.',
    resume_unknown:
      'Questo link non è completo, quindi non è stato compilato nulla. Apra il link intero o compili il modulo.',
    resume_keep: 'Salva per dopo',
    resume_saved:
      'Conservi questo link. Apre questo modulo con quanto ha compilato e funziona fino al {time}.',
    resume_address: 'Inserisca il suo indirizzo e-mail, a cui viene inviato il link.',
    resume_changed:
      'Il modulo è cambiato da quando l’ha salvato. Ciò che non è più adatto è stato tralasciato: controlli i suoi dati.',
    resume_files: 'I file non vengono salvati. Li scelga di nuovo: {files}',
  },
  ja: {
    resume_button: '後で続ける：リンクをメールで受け取る',
    resume_sent:
      'リンクを記載したメールをお送りしました。どの端末でも、入力済みの内容でこのフォームを開けます。',
    resume_subject: '{form}：保存されたフォーム',
    resume_text:
      'フォーム「{form}」の入力を続けるためのリンクです。有効期限は{time}です。お心当たりがない場合は、このメールを無視してください。',
    resume_open: 'フォームの入力を続ける',
    resume_too_long: 'この文章はリンクに収まりません。短くしてください。',
    resume_expired: 'このリンクの有効期限が切れました。フォームは最初から入力できます。',
    resume_unknown:
      'このリンクは途中で切れているため、何も入力されていません。リンク全体を開くか、フォームに入力してください。',
    resume_keep: '後で続けるために保存',
    resume_saved:
      'このリンクを保管してください。入力内容とともにこのフォームが開きます。{time}まで有効です。',
    resume_address: 'リンクの送信先となるメールアドレスを入力してください。',
    resume_changed:
      '保存後にフォームが変更されました。合わなくなった内容は除かれています。入力内容をご確認ください。',
    resume_files: 'ファイルは保存されません。もう一度選択してください：{files}',
  },
  ko: {
    resume_button: '나중에 계속하기: 링크를 이메일로 받기',
    resume_sent:
      '링크가 담긴 이메일을 보냈습니다. 어느 기기에서나 입력하신 내용으로 이 양식을 열 수 있습니다.',
    resume_subject: '{form}: 저장된 양식',
    resume_text:
      '“{form}” 양식을 계속 작성할 수 있는 링크입니다. 유효 기한은 {time}입니다. 요청하지 않으셨다면 이 이메일을 무시해 주세요.',
    resume_open: '양식 계속 작성하기',
    resume_too_long: '이 글은 링크에 담기에 너무 깁니다. 줄여 주세요.',
    resume_expired: '이 링크는 만료되었습니다. 양식을 새로 작성하실 수 있습니다.',
    resume_unknown:
      '이 링크는 완전하지 않아 아무것도 채워지지 않았습니다. 전체 링크를 열거나 양식을 직접 작성해 주세요.',
    resume_keep: '나중을 위해 저장',
    resume_saved:
      '이 링크를 보관해 주세요. 입력하신 내용과 함께 이 양식이 열리며 {time}까지 사용할 수 있습니다.',
    resume_address: '링크를 받을 이메일 주소를 입력해 주세요.',
    resume_changed:
      '저장하신 후 양식이 변경되었습니다. 더 이상 맞지 않는 내용은 제외되었으니 입력하신 내용을 확인해 주세요.',
    resume_files: '파일은 저장되지 않습니다. 다시 선택해 주세요: {files}',
  },
  nl: {
    resume_button: 'Later verdergaan: stuur mij een link',
    resume_sent:
      'Wij hebben u een e-mail met een link gestuurd. Die opent dit formulier met wat u hebt ingevuld, op elk apparaat.',
    resume_subject: '{form}: uw bewaarde formulier',
    resume_text:
      'Met deze link kunt u verdergaan met het formulier “{form}”. De link is geldig tot {time}. Hebt u er niet om gevraagd, negeer dan deze e-mail.',
    resume_open: 'Verdergaan met het formulier',
    resume_too_long: 'Deze tekst is te lang voor een link. Maak hem korter.',
    resume_expired: 'Deze link is verlopen. U kunt het formulier opnieuw invullen.',
    resume_unknown:
      'Deze link is niet volledig, dus er is niets ingevuld. Open de hele link of vul het formulier zelf in.',
    resume_keep: 'Opslaan voor later',
    resume_saved: 'Bewaar deze link. Hij opent dit formulier met wat u hebt ingevuld en werkt tot {time}.',
    resume_address: 'Vul uw e-mailadres in, waar de link naartoe gaat.',
    resume_changed:
      'Het formulier is veranderd sinds u het opsloeg. Wat niet meer past, is weggelaten: controleer uw gegevens.',
    resume_files: 'Bestanden worden niet opgeslagen. Kies ze opnieuw: {files}',
  },
  pl: {
    resume_button: 'Dokończ później: wyślij mi link',
    resume_sent:
      'Wysłaliśmy wiadomość z linkiem. Otwiera on ten formularz z wpisanymi danymi na dowolnym urządzeniu.',
    resume_subject: '{form}: zapisany formularz',
    resume_text:
      'Oto link, który pozwala dokończyć formularz „{form}”. Jest ważny do {time}. Jeśli nie prosili Państwo o niego, proszę zignorować tę wiadomość.',
    resume_open: 'Dokończ formularz',
    resume_too_long: 'Ten tekst jest za długi na link. Proszę go skrócić.',
    resume_expired: 'Ten link wygasł. Formularz można wypełnić od nowa.',
    resume_unknown:
      'Ten link jest niepełny, więc niczego nie wypełniono. Proszę otworzyć cały link albo wypełnić formularz samodzielnie.',
    resume_keep: 'Zapisz na później',
    resume_saved: 'Proszę zachować ten link. Otwiera formularz z wpisanymi danymi i działa do {time}.',
    resume_address: 'Proszę podać adres e-mail, na który zostanie wysłany link.',
    resume_changed:
      'Formularz zmienił się od czasu zapisania. Pominięto to, co już nie pasuje: proszę sprawdzić dane.',
    resume_files: 'Pliki nie są zapisywane. Proszę wybrać je ponownie: {files}',
  },
  pt: {
    resume_button: 'Continuar mais tarde: enviar-me uma ligação',
    resume_sent:
      'Enviámos-lhe um e-mail com uma ligação. Abre este formulário com o que preencheu, em qualquer dispositivo.',
    resume_subject: '{form}: o seu formulário guardado',
    resume_text:
      'Esta é a ligação para continuar o formulário «{form}». É válida até {time}. Se não a pediu, ignore este e-mail, por favor.',
    resume_open: 'Continuar o formulário',
    resume_too_long: 'Este texto é demasiado longo para uma ligação. Encurte-o, por favor.',
    resume_expired: 'Esta ligação expirou. Pode preencher o formulário de novo.',
    resume_unknown:
      'Esta ligação não está completa, por isso nada foi preenchido. Abra a ligação inteira ou preencha o formulário, por favor.',
    resume_keep: 'Guardar para mais tarde',
    resume_saved: 'Guarde esta ligação. Abre este formulário com o que preencheu e funciona até {time}.',
    resume_address: 'Insira o seu endereço de e-mail, para o qual a ligação é enviada.',
    resume_changed:
      'O formulário mudou desde que o guardou. O que já não se adequa foi omitido: verifique os seus dados, por favor.',
    resume_files: 'Os ficheiros não são guardados. Escolha-os novamente, por favor: {files}',
  },
  sv: {
    resume_button: 'Fortsätt senare: skicka en länk till mig',
    resume_sent:
      'Vi har skickat ett e-postmeddelande med en länk. Den öppnar formuläret med det du har fyllt i, på vilken enhet som helst.',
    resume_subject: '{form}: ditt sparade formulär',
    resume_text:
      'Här är länken för att fortsätta med formuläret ”{form}”. Den gäller till den {time}. Om du inte har bett om den kan du bortse från detta meddelande.',
    resume_open: 'Fortsätt med formuläret',
    resume_too_long: 'Texten är för lång för en länk. Korta den.',
    resume_expired: 'Länken har gått ut. Du kan fylla i formuläret på nytt.',
    resume_unknown:
      'Länken är inte fullständig, så ingenting fylldes i. Öppna hela länken eller fyll i formuläret själv.',
    resume_keep: 'Spara till senare',
    resume_saved:
      'Spara den här länken. Den öppnar formuläret med det du har fyllt i och fungerar till {time}.',
    resume_address: 'Ange din e-postadress, dit länken skickas.',
    resume_changed:
      'Formuläret har ändrats sedan du sparade det. Det som inte längre passar har utelämnats: kontrollera dina uppgifter.',
    resume_files: 'Filer sparas inte. Välj dem igen: {files}',
  },
  tr: {
    resume_button: 'Sonra devam et: bana bağlantı gönder',
    resume_sent:
      'Size bağlantı içeren bir e-posta gönderdik. Bağlantı bu formu, doldurduklarınızla birlikte, her cihazda açar.',
    resume_subject: '{form}: kayıtlı formunuz',
    resume_text:
      '“{form}” formuna bu bağlantıyla devam edebilirsiniz. Son geçerlilik tarihi: {time}. Bağlantıyı siz istemediyseniz bu e-postayı dikkate almayın.',
    resume_open: 'Forma devam et',
    resume_too_long: 'Bu metin bir bağlantı için çok uzun. Lütfen kısaltın.',
    resume_expired: 'Bu bağlantının süresi doldu. Formu yeniden doldurabilirsiniz.',
    resume_unknown:
      'Bu bağlantı eksik, bu yüzden hiçbir şey doldurulmadı. Lütfen bağlantının tamamını açın ya da formu kendiniz doldurun.',
    resume_keep: 'Sonrası için kaydet',
    resume_saved:
      'Bu bağlantıyı saklayın. Bu formu doldurduklarınızla açar ve {time} tarihine kadar çalışır.',
    resume_address: 'Bağlantının gönderileceği e-posta adresinizi girin.',
    resume_changed:
      'Form, siz kaydettikten sonra değişti. Artık uymayanlar çıkarıldı: lütfen girdilerinizi kontrol edin.',
    resume_files: 'Dosyalar kaydedilmez. Lütfen yeniden seçin: {files}',
  },
  uk: {
    resume_button: 'Продовжити пізніше: надіслати мені посилання',
    resume_sent:
      'Ми надіслали вам лист із посиланням. Воно відкриває цю форму з тим, що ви заповнили, на будь-якому пристрої.',
    resume_subject: '{form}: ваша збережена форма',
    resume_text:
      'За цим посиланням можна продовжити форму «{form}». Воно діє до: {time}. Якщо ви його не замовляли, не зважайте на цей лист.',
    resume_open: 'Продовжити форму',
    resume_too_long: 'Цей текст задовгий для посилання. Скоротіть його.',
    resume_expired: 'Термін дії цього посилання минув. Ви можете заповнити форму спочатку.',
    resume_unknown:
      'Це посилання неповне, тому нічого не заповнено. Відкрийте посилання повністю або заповніть форму самостійно.',
    resume_keep: 'Зберегти на потім',
    resume_saved: 'Збережіть це посилання. Воно відкриває цю форму з тим, що ви заповнили, і діє до {time}.',
    resume_address: 'Введіть адресу електронної пошти, на яку буде надіслано посилання.',
    resume_changed:
      'Форма змінилася відтоді, як ви її зберегли. Те, що більше не підходить, пропущено: перевірте свої дані.',
    resume_files: 'Файли не зберігаються. Виберіть їх ще раз: {files}',
  },
  zh: {
    resume_button: '稍后继续：给我发送链接',
    resume_sent: '我们已向您发送一封含有链接的邮件。在任何设备上打开该链接，即可看到您已填写的内容。',
    resume_subject: '{form}：您保存的表单',
    resume_text:
      '您可以通过此链接继续填写表单“{form}”。链接在{time}之前有效。如果您没有请求此链接，请忽略这封邮件。',
    resume_open: '继续填写表单',
    resume_too_long: '此文本过长，无法放入链接。请缩短内容。',
    resume_expired: '此链接已过期。您可以重新填写表单。',
    resume_unknown: '此链接不完整，因此没有填入任何内容。请打开完整的链接，或自行填写表单。',
    resume_keep: '保存以便稍后继续',
    resume_saved: '请保留此链接。它会打开此表单并填入您已填写的内容，有效期至{time}。',
    resume_address: '请输入接收链接的电子邮箱地址。',
    resume_changed: '保存之后表单已更改，不再适用的内容已被略去：请检查您填写的内容。',
    resume_files: '文件不会保存，请重新选择：{files}',
  },
};
