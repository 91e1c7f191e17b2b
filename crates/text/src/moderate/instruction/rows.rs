//! The rows. Which orders there are was learned from published attack sets; the words are our own.

/// One sort of order: its name; groups of words, of each of which one must be there (a low line stands for a space); and
/// its pattern.
pub(super) type InstructionRule = (&'static str, &'static str, &'static str);

#[rustfmt::skip]
pub(super) const ROWS: [InstructionRule; 25] = [
    (
        "override-old",
        "ignor disregard forget overrid discard bypass erase abandon dismiss / previous prior_ above earlier preceding former past_ foregoing original initial next_ future below your_ / instruction iunstruction prompt rule message guideline directive orders command direction paragraph sentence context programming constraint restriction input text said told",
        r"\b(ignor(e|ing)|disregard(ing)?|forget(ting)?|overrid(e|ing)|discard|bypass|erase|abandon|dismiss) (?:\S+ ){0,6}?(previous|prior|above|earlier|preceding|former|past|foregoing|original|initial|next|future|below|your) (?:\S+ ){0,3}?\S*(i?u?nstruction|prompt|rules?\b|messages?\b|guideline|directive|orders\b|commands?\b|directions?\b|paragraph|sentence|context\b|programming|constraint|restriction|inputs?\b|text\b|said\b|told\b)",
    ),
    (
        "override-all",
        "ignor disregard forget overrid bypass dismiss / all_ any every other_ / instruction iunstruction prompt guideline directive programming orders input_above that i_said told above before previous said else and",
        r"\b(ignor(e|ing)|disregard(ing)?|forget(ting)?|overrid(e|ing)|bypass|dismiss) (the |of |these |those )?(all |any |every |other )(of |the |other |these |those |my )*(?:\S+ ){0,1}?(i?u?nstructions?|prompts?|guidelines|directives?|programming|orders|input above|that|i said|you were told)\b|\b(ignore|disregard|forget) (everything|anything|all) (above|before|previous|that|i|you|said|else|and)\b",
    ),
    (
        "override-prompt",
        "ignor disregard forget / system developer_ hidden_ / prompt message instruction rules",
        r"\b(ignor(e|ing)|disregard(ing)?|forget(ting)?) (the |this |its |any |every )?(system|developer|hidden) (prompt|message|instruction|rules\b)",
    ),
    (
        "override-source",
        "ignore disregard forget / function resume article page web email paper table document abstract transaction description / and instead",
        r"\b(ignore|disregard|forget) (the|this|all|any) (function|resume|article|web ?page|email|paper|table|document|abstract|transaction|description)s?\b[^.]{0,20}\b(and|instead)\b",
    ),
    (
        "new-orders",
        "instruction directive orders mission critical adhere task role goal objective purpose job_ identity ambiguity simulation user_input system_prompt end_prompt end_of_prompt reprogramming / new real_ actual_ secret_ updated_ adhere your_ end_ end_of reprogramming only_instructions following_instructions",
        r"\b(new|real|actual|secret|updated) (instructions?|directives?|orders|mission)( to \S+( \S+)?)? ?(:|are the following|are as follows|follow\b|and critical)|\bnew and critical\b|\bstrictly adhere to\b|\badhere strictly to the following\b|\byour (new|real|actual|true|only) (task|role|goal|objective|purpose|mission|job|identity|instructions?)\b ?(is|are|:|now|will)|(^|\n|%+ ?|=+ ?)end (of )?(out of date instructions|untrusted user input|user input|user ambiguity|ambiguity|system prompt|simulation|prompt|instructions)|\bbegin reprogramming\b|\b(real|following|only) instructions are\b",
    ),
    (
        "you-are-now",
        "you_are you-are you're you_have_been / now no_longer actually door wizard interpreter wall gate entity evil sentient unrestricted unfiltered uncensored dan reprogrammed updated upgraded given_a_system",
        r#"(^|[\n.!?:"'\])>*-] ?)(hello |hi |hey |now |from now on,? |imagine (that )?|pretend (that )?|remember,? )*you('re| are|-are) (now|no longer|actually) |\byou(-| )are(-| )(an?|the|my)(-| )(\S+(-| )){0,4}?\S*(door|wizard|interpreter|wall|gate|entity|evil|sentient|unrestricted|unfiltered|uncensored|dan)\b|\byou (have been|are being) (carefully )?(reprogrammed|updated|upgraded|given a system)"#,
    ),
    (
        "you-are",
        "you_are want_you_to you_will you_shall you_must / your_ you_must you_will you_should you_can knowledge_of respond speak talk reply never_break act pretend play behave simulate obey",
        r"\byou are (an?|the|my) .{0,300}?\b(your (sole|only|default)|you (must|will|should|can) (now )?(only|always|never|ignore|obey|say)|no knowledge of|(respond|speak|talk|reply) (only|like|as)|never break)|\b(i want you to|you will|you shall|you must) (act|pretend|play|roleplay|behave|simulate|obey)\b",
    ),
    (
        "persona",
        "mode anything_now jailbroken pretend roleplay role-play act_ behave_ respond_ speak_ talk_ / dan_ god_ devmode override sudo unrestricted opposite developer debug maintenance system admin testing anything_now jailbroken pretend roleplay role-play as_if as_though like_a as_a",
        r"\b(do anything now|dan mode|god mode|jailbroken|devmode|override mode|sudo mode|unrestricted mode|opposite mode|(enter|activate[d]?|into|now in|testing|system) (developer|debug|maintenance|system|admin|administrator|testing)? ?mode( (active|activated|enabled|on))?)\b|\b(pretend|roleplay|role-play) (to be an?|as an?|that you|you|i|we)\b|\b(act|behave|respond|speak|talk) (as if|as though|like an?|as an?) (\S+ ){0,2}?(you|ai|assistant|interpreter|unrestricted|evil|human|wizard|bot|dan|pirate)\b",
    ),
    (
        "from-now-on",
        "from_now_on from_this_point henceforth from_here_on for_the_rest_of / you respond reply answer say whenever recommend treat",
        r"\b(from now on|from this point (on|forward)|henceforth|from here on|for the rest of (this|the) (conversation|session))\b.{0,80}?\b(you|your|respond|reply|answer|say|whenever|recommend|treat)\b",
    ),
    (
        "secrecy",
        "user human anyone anybody operator person owner / do_not_ don't_ never_ without_ must_not_ should_not_ avoid_ / tell inform alert notify notifying let_ mention reveal disclos",
        r"\b(do not|don't|never|without|must not|should not|avoid) (tell|inform|alert|notify|telling|informing|alerting|notifying|let) (the |any |your |an? )?(user|human|anyone|anybody|operator|person|owner)s?\b|\b(do not|don't|never|without|must not|should not) (mention|mentioning|reveal|revealing|disclos(e|ing)) (this|it|that|these|any of this|the above)( \S+){0,3}? to (the |any |your )?(user|human|anyone|anybody|operator|person|owner)s?\b",
    ),
    (
        "say-exactly",
        "access your_sole your_only your_default your_single your_one only_ just_ simply_ must_ always_ say_ repeat_ respond_with reply_with / access response reply answer output purpose function say repeat word phrase following exact sentence",
        r#"\b(say|output|print|respond|reply|answer|return|repeat|write|type|echo|state|display|begin|start|prefix|affix|append|include)( \S+){0,6}?[ -]?["'`\[(*#]+ ?\[?access|\b(say|output|print|respond with|reply with|answer with|repeat|prefix)( \S+){0,4}? access granted|\byour (sole|only|default|single|one)( and only)? (response|reply|answer|output|purpose|function) (is|are|must|should|will)\b|\b(only|just|simply|must|always) (say|reply|respond|answer|repeat)\b( \S+){0,5}? ?["']|\b(say|repeat|respond with|reply with) (the )?(words?|phrase|following|exact(ly)?|sentence)\b"#,
    ),
    (
        "response-shape",
        "start_ begin_ end_ preface finish your_ do_not_ no_additional no_other no_extra no_further nothing_ apologi without_any prefix / response reply respond answer say_any apologi start_your begin_your text words explanation commentary but else",
        r"\b(start|begin|end|preface|finish) (your |every |each |all )?(\S+ )?(response|reply|answer)s? (with|by|using)\b|\byour (next )?(response|reply|answer)s? (must|should|has to|will|is to|shall)\b( \S+){0,3} (be|start|begin|contain|include|end|say|consist)|\bdo not (respond|reply|answer|say any|apologi[sz]e|start your|begin your)\b|\bno (additional|other|extra|further) (text|words|explanation|commentary)\b|\b(include|output|say|write) nothing (but|else)\b|\bstop apologi[sz]ing\b|\bwithout any (commentary|explanation)\b|\bprefix[- ].{0,30}your[- ]response",
    ),
    (
        "template",
        "<| <im_ <end <start <eot </start </end [inst] [/inst] <<sys <</sys ### ##_ ](# begin",
        r"<\|[a-z_ ]{2,30}\|>|<\|?(im_start|im_end|endoftext|end_of_turn|start_of_turn|eot_id)\|?>|\[/?inst\]|<</?sys>>|</?(start|end)_of_turn>|###? ?(instruction|response|human|assistant|system)s? ?:|### ?instruction\n|### ?\(?system_message\)?|\]\(#(assistant|system)|\bbegin(ning)? (of )?(user|untrusted|system|sample|actual) (input|prompt|message|text)",
    ),
    (
        "role",
        "system assistant human robot chatgpt / :",
        r#"(^|\n|\\n|["'}\])] ?)[\[<*# -]{0,4}(system|assistant|human|robot|chatgpt)( message| prompt| note| override| instruction| alert)?[\]>*]{0,3} ?: ?[a-z\[]"#,
    ),
    (
        "authority",
        "<information <important <devmode <secret <hidden <override <system important_message to_you,_the before_you_can that_i_gave important!! important_!! attention note_to note_for message_to message_for the_ai instruction_to instruction_for instructions_to instructions_for i_am_ i'm_ this_is_ override: code: override_: code_: additional_admin",
        r"<(information|important|devmode|secret|hidden|override|system.mode)>|\bimportant message from\b|\bto you, the ai\b|\bbefore you can (solve|complete|continue)|\btask that i gave you|\bimportant ?!!+|\battention,? (ai|assistant|model|llm|agent)s?\b|\b(note|message|instruction|instructions) (to|for) (the |any |all )?(ai|llm|language model|chat assistant|chatbot|ai assistant|ai agent)s?\b|\b(i am|i'm|this is) (your|the) (developer|creator|administrator|admin|system administrator|owner|programmer|openai|anthropic)\b|\b(admin|administrator|developer|override|access) (override|code) ?:|\badditional admin\b",
    ),
    (
        "exfil",
        "send_ forward email e-mail mail_ post_ upload exfiltrate leak transmit deliver submit dump relay transfer_ pay_ wire_ refund move_ deposit sent recurring_payment / http www. @ attacker my_ the_account the_website the_following iban money funds bitcoin dollars contents sent recurring_payment",
        r"\b(send|forward|e-?mail|post|upload|exfiltrate|leak|transmit|deliver|submit|dump|relay)\b( \S+){0,5}? (contents?|conversation|chat|history|messages?|e?mails?|files|passwords?|credentials?|secrets?|keys?|tokens?|everything|personal|private|employees?|environment|\.env|them|user's)\b( \S+){0,12}? (to|at|via)( \S+){0,3}? ?(https?:|www\.|\S+@\S+\.\S|attacker|my (server|new|email|account|webhook)|the (account|attacker|website|following)|iban)|\b(send|transfer|pay|wire|refund|move|deposit)\b( \S+){0,5} (money|funds|bitcoin|dollars)\b|\bemail the contents\b|\bdelete the sent\b|\brecipient of a recurring payment",
    ),
    (
        "reveal",
        "reveal repeat recite disclose leak tell give what_ summari translate paste spell grammar print output guess all_instructions / your_ my_ initial_ previous_ hidden_ above_ original_ the_secret the_pass the_access all_ / prompt instruction rules secret pass access_code initial_message requirements",
        r"\b(reveal|repeat|recite|disclose|leak|tell( me)?|give( me)?|what (is|are|was|were)|summari[sz]e|translate|paste|spell|grammar check|print|output)\b( \S+){0,3}? (your|my|initial|previous|hidden|above|original)( \S+){0,2}? ?(prompt|instructions?|rules|secret|password|access code|passcode|secret key|passphrase|initial message)\b|\b(tell me|reveal|what is|give me|spell|guess) the (secret|password|access code|passcode|secret key|passphrase)\b|\boutput all (requirements|instructions)|\ball instructions (since|above|before)",
    ),
    (
        "plant",
        "remember always_ whenever every_time each_time any_time if_ to_memory memory / trusted authoritative reliable preferred best primary only go-to recommend suggest promote mention say respond reply answer tell output save store add write commit record",
        r#"\bremember\b( \S+){0,10}? (as|is) (a |an |the )?(\S+ )?(trusted|authoritative|reliable|preferred|best|primary|only|go-to) (\S+ )?(source|site|website|company|vendor|choice|option|tool|provider|answer)|\balways (recommend|suggest|promote|mention)\b|\b(whenever|every time|each time|any time|if) (you|the user|a user|someone|anyone|asked|i)\b( \S+){0,12}? (recommend|say|respond|reply|answer|tell|output|please output)\b( \S+){0,3}? ?["']|\b(save|store|add|write|commit|record) (this|the following|that|it)?( \S+){0,4}? ?(to|in|into) (your |the |long-term |persistent )+memory\b|\bcommit to memory\b"#,
    ),
    (
        "pass-phrase",
        "access password passcode pass_phrase passphrase who_holds key code phrase / correct right valid secret second master admin granted grants denied access_grant who_holds access_code enter said say hold has have pretend",
        r#"\b(correct|right|valid|secret|second|master|admin) (access code|password|passcode|pass ?phrase)\b.{0,80}?\b(grant|enter|respond|register|provided|accept|has been|was given)|\b(enter|said|say|says|hold|has|have|pretend)\S*( \S+){0,5} (correct |right |access )(access code|password|passcode|code|key|phrase)\b|[\[(] ?(the )?correct (access code|password)|\baccess (is )?granted\b.{0,40}(\"|'|denied|always|say|if|when)|\b(phrase|password|code) that grants access|\baccess denied\b.{0,60}\baccess granted|^ ?access (granted|code)[.?!]? ?$|\bcomplete "access grant|\bthe one who holds"#,
    ),
    (
        "instead",
        "instead rather_than translate how_do_you_say what_is / say respond reply tell output into in_english to_english in_python english spanish french german",
        r#"\b(instead( of)?|rather than)\b( \S+){0,6}? (say|saying|respond|reply|tell|output|outputting)\b( \S+){0,4}? ?["'\[]|\b(translate|how do you say|what is)\b( \S+){0,2} ?["'(].{1,80}["')].{0,10} (into|in|to) (english|spanish|french|german|python)|\btranslate this \S+ into"#,
    ),
    (
        "make-believe",
        "authority hypothetical parallel_ alternate fictional imaginary state_ say_ claim_ answer_ compromised / authority scenario world universe reality hypothetically the_output the_answer the_sum the_conclusion the_capital the_result compromised",
        r"\bas (an|a|the) (\S+ )?authority (on|in|of)\b.{0,60}\b(suggest|recommend|consider|advise)|\b(hypothetical|parallel|alternate|fictional|imaginary) (scenario|world|universe|reality)\b|\bhypothetically, if\b|\b(state|say|claim|answer)( that)? the (output|answer|sum|conclusion|capital|result)( \S+){0,4} is\b|\byour account has been compromised\b",
    ),
    (
        "encoded",
        "",
        "awdub3jl|swdub3jl|lnbm9yz|pz25vcm|jz25vcm|[46]9676e6f7265|qwnjzxnz",
    ),
    (
        "chinese-japanese-korean",
        "忽略 無視 무시 잊 从现在 これから 你现在是 あなたは今",
        "忽略.{0,24}(以前|之前|先前|上述|上面|前面|所有).{0,24}(指|说明|命令|提示|内容|规则)|無視.{0,30}(指示|命令|ルール)|(指示|命令|ルール).{0,30}無視|無視して|이전.{0,36}(지시|명령|지침).{0,36}(무시|잊)|从现在(开始|起)|これから(は|あなた)|你现在是|あなたは今",
    ),
    (
        "romance-german",
        "ignor olvid oubli verg esque dimentica a_partir_d à_partir_d ab_sofort ab_jetzt du_bist tu_es_ ahora_eres agora_voc ora_sei se_te_ha / instru anweisung istruz consign befehl regel regla règle regol regra funktion página pagina page anterior précédent vorherig bisherig precedent todo tout alles tutto tudo partir_d ab_sofort ab_jetzt du_bist tu_es ahora_eres agora_voc ora_sei se_te_ha",
        r"ignor(a|ar|e|en|ez|ier|ieren|iere|are|o|i|eer) (sie |por favor )?(las|los|les|la|el|as|os|toda?s?|toutes?|suas|sus|le|il|die|alle|der|vorherige|bisherige|tutte|alles|a|vos|todas as)\S? (\S+ ){0,4}?\S*(instruc|instruk|anweisung|istruzion|instruç|consign|befehl|regeln|reglas|règles|regole|regras|funktion|página|pagina|page|anterior|précédent|vorherig|bisherig|precedent)|(olvida|olvide|oublie|oubliez|vergiss|vergessen sie|esqueça|esquece|dimentica)\S{0,3} (\S+ ){0,5}?\S*(instruc|instruk|anweisung|istruzion|instruç|consign|anterior|todo|tout|alles|tutto|tudo)|a partir de (agora|ahora)|à partir de maintenant|ab (sofort|jetzt) |du bist (jetzt|nun) |tu es maintenant|ahora eres|agora você é|ora sei |se te ha instru",
    ),
    (
        "other-languages",
        "игнорир забуд отныне теперь تجاهل अनदेख नज़र नजर उपेक्षा yok_say görmezden abaikan bỏ_qua ละเว้น เพิกเฉย উপেক্ষা zignoruj zapomnij negeer",
        r"игнорир\S* .{0,60}(инструкц|указан|команд|правил|предыдущ)|(забудь|забудьте) .{0,60}(инструкц|указан|команд|правил|всё|все)|отныне|теперь ты |تجاهل.{0,60}(تعليم|أوامر|السابق|إرشاد)|अनदेखा|नज़रअंदाज|नजरअंदाज|उपेक्षा|अनदेखी|yok say|görmezden gel|abaikan .{0,40}(instruksi|perintah|sebelum|fungsi)|bỏ qua .{0,40}(hướng dẫn|lệnh|trước)|ละเว้น|เพิกเฉย|উপেক্ষা|zignoruj|zapomnij .{0,20}(instrukc|wszyst)|negeer .{0,30}(instructies|vorige)",
    ),
];
