"""English and Spanish pairs in the manner of agency copy that say the same, for regression.

Written by the checker's author while building it: they show what must not be refused, and measure nothing. The
corpus that measures is `fixtures/parity/`, whose author has not seen the checker.
"""

# ruff: noqa: E501  one text is one line

SAME = [
    (
        "The International Monetary Fund on Tuesday cut its forecast for global growth to 3.2% in 2026, from 3.4% previously, citing trade tensions.",
        "El Fondo Monetario Internacional (FMI) recortó este martes su previsión de crecimiento mundial al 3,2 % en 2026, desde el 3,4 % anterior, por las tensiones comerciales.",
    ),
    (
        "At least 12 people were killed and 34 injured when a bus plunged into a ravine in southern Peru, police said on Monday.",
        "Al menos 12 personas murieron y 34 resultaron heridas al caer un autobús a un barranco en el sur de Perú, informó el lunes la policía.",
    ),
    (
        "U.S. President Donald Trump said he would not attend the G20 summit in Johannesburg.",
        "El presidente de Estados Unidos, Donald Trump, dijo que no asistirá a la cumbre del G20 en Johannesburgo.",
    ),
    (
        "NATO Secretary General Mark Rutte told reporters in Brussels that allies had pledged €40 billion in aid to Ukraine.",
        "El secretario general de la OTAN, Mark Rutte, declaró a la prensa en Bruselas que los aliados han comprometido 40.000 millones de euros en ayuda a Ucrania.",
    ),
    (
        "The suspect, a 43-year-old man, was arrested in London on suspicion of attempted murder, according to Scotland Yard.",
        "El sospechoso, un hombre de 43 años, fue detenido en Londres por un presunto intento de asesinato, según Scotland Yard.",
    ),
    (
        "Oil prices rose more than 2% to $78.45 a barrel, their highest since August.",
        "El petróleo subió más de un 2 %, hasta los 78,45 dólares el barril, su nivel más alto desde agosto.",
    ),
    (
        "“We will not negotiate with terrorists,” Israeli Prime Minister Benjamin Netanyahu said in a televised address.",
        "«No negociaremos con terroristas», afirmó el primer ministro israelí, Benjamín Netanyahu, en un mensaje televisado.",
    ),
    (
        "The central bank raised its benchmark interest rate by 25 basis points to 4.75 percent.",
        "El banco central subió 25 puntos básicos su tipo de interés de referencia, hasta el 4,75 %.",
    ),
    (
        "Unemployment fell by half a percentage point to 11.2% in the third quarter.",
        "El desempleo bajó medio punto porcentual, hasta el 11,2 %, en el tercer trimestre.",
    ),
    (
        "The company plans to invest $2.5 billion over five years and create about 3,000 jobs.",
        "La empresa prevé invertir 2.500 millones de dólares en cinco años y crear unos 3.000 empleos.",
    ),
    (
        "Thousands of people marched through the streets of Paris on Saturday to protest against the pension reform.",
        "Miles de personas marcharon el sábado por las calles de París en protesta contra la reforma de las pensiones.",
    ),
    (
        "The earthquake, which struck at 3:45 a.m. local time, had a magnitude of 6.1 and a depth of 10 kilometers.",
        "El sismo, registrado a las 03.45 hora local, tuvo una magnitud de 6,1 y una profundidad de 10 kilómetros.",
    ),
    (
        "More than half of the respondents said they would vote for the opposition, while a third were undecided.",
        "Más de la mitad de los encuestados dijo que votaría por la oposición, mientras que un tercio estaba indeciso.",
    ),
    (
        "The ministry denied that any troops had crossed the border.",
        "El ministerio negó que tropas hubieran cruzado la frontera.",
    ),
    ("Apple Vision Pro 2", "Apple Vision Pro 2"),
    (
        "The film grossed $12 million in its first weekend in the United States and Canada.",
        "La película recaudó 12 millones de dólares en su primer fin de semana en Estados Unidos y Canadá.",
    ),
    (
        "Real Madrid beat Barcelona 3-1 on Sunday to go top of La Liga, with two goals from Kylian Mbappé.",
        "El Real Madrid venció el domingo por 3-1 al Barcelona y se colocó líder de LaLiga, con dos goles de Kylian Mbappé.",
    ),
    (
        "The talks, which began in Geneva on 30 November, are expected to last until 4 December.",
        "Las conversaciones, que comenzaron en Ginebra el 30 de noviembre, está previsto que se prolonguen hasta el 4 de diciembre.",
    ),
    (
        "Authorities failed to explain why the alarm did not sound.",
        "Las autoridades no explicaron por qué no sonó la alarma.",
    ),
    (
        "The former minister is alleged to have taken bribes worth nearly 1.2 million pounds.",
        "El exministro habría aceptado sobornos por valor de casi 1,2 millones de libras.",
    ),
    (
        "A spokesman for the Kremlin, Dmitry Peskov, rejected the accusations.",
        "El portavoz del Kremlin, Dmitri Peskov, rechazó las acusaciones.",
    ),
    (
        "The World Health Organization said cases had doubled in two weeks.",
        "La Organización Mundial de la Salud (OMS) señaló que los casos se han duplicado en dos semanas.",
    ),
    (
        "Heavy rains have left 20 dead and dozens missing in northern India, officials said.",
        "Las fuertes lluvias han dejado 20 muertos y decenas de desaparecidos en el norte de la India, según las autoridades.",
    ),
    ("The bill passed by 54 votes to 46.", "El proyecto de ley fue aprobado por 54 votos contra 46."),
    (
        "Argentina's annual inflation slowed to 31.4% in November, the INDEC statistics agency said.",
        "La inflación interanual de Argentina se desaceleró al 31,4 % en noviembre, informó el instituto de estadística INDEC.",
    ),
    ("The Chilean peso closed at 945.50 per dollar.", "El peso chileno cerró a 945,50 por dólar."),
    (
        "The storm had maximum sustained winds of 75 mph (120 km/h) and was moving northwest at 10 mph (16 km/h).",
        "La tormenta tenía vientos máximos sostenidos de 120 km/h (75 mph) y avanzaba hacia el noroeste a 16 km/h (10 mph).",
    ),
    (
        "Pope Leo XIV called for peace in the Middle East during Sunday's Angelus prayer.",
        "El papa León XIV pidió la paz en Oriente Medio durante el rezo del ángelus de este domingo.",
    ),
    (
        "King Charles III will visit Spain next spring, Buckingham Palace announced on Thursday.",
        "El rey Carlos III visitará España la próxima primavera, anunció el jueves el Palacio de Buckingham.",
    ),
    ("Neither side has commented on the report.", "Ninguna de las partes ha comentado el informe."),
    ("The government has yet to publish the figures.", "El Gobierno aún no ha publicado las cifras."),
    (
        "The plant will produce 500 megawatts, enough to power 300,000 homes.",
        "La planta producirá 500 megavatios, suficientes para abastecer a 300.000 hogares.",
    ),
    (
        "The euro traded at $1.0845 late on Friday.",
        "El euro se cambiaba el viernes a última hora a 1,0845 dólares.",
    ),
    (
        "Mexico's economy grew 0.3% in the second quarter compared with the previous three months.",
        "La economía mexicana creció un 0,3 % en el segundo trimestre respecto a los tres meses anteriores.",
    ),
    (
        "About 1.5 million people could be displaced, the UN refugee agency warned.",
        "Alrededor de 1,5 millones de personas podrían verse desplazadas, advirtió la agencia de la ONU para los refugiados (ACNUR).",
    ),
    ("The trial will resume at 10 a.m. on January 15.", "El juicio se reanudará el 15 de enero a las 10.00 horas."),
    (
        "Both countries agreed to resume flights after a three-year pause.",
        "Los dos países acordaron reanudar los vuelos tras una pausa de tres años.",
    ),
    (
        "The museum, founded in the 19th century, houses works from the 1920s.",
        "El museo, fundado en el siglo XIX, alberga obras de los años veinte.",
    ),
    (
        "A quarter of the country's hospitals are no longer functioning.",
        "Una cuarta parte de los hospitales del país ya no funciona.",
    ),
    (
        "Without international aid, the harvest will not be enough.",
        "Sin ayuda internacional, la cosecha no será suficiente.",
    ),
    (
        "The Supreme Court ruled that the law was unconstitutional.",
        "El Tribunal Supremo dictaminó que la ley era inconstitucional.",
    ),
    (
        "Chinese exports fell 1.1% year on year in October, the first drop since February.",
        "Las exportaciones chinas cayeron un 1,1 % interanual en octubre, el primer descenso desde febrero.",
    ),
    (
        "The vessel sank off the coast of Libya, leaving at least 61 migrants missing, including women and children.",
        "La embarcación naufragó frente a las costas de Libia y dejó al menos 61 migrantes desaparecidos, entre ellos mujeres y niños.",
    ),
    (
        "Tesla shares fell 4 percent after the company reported lower-than-expected earnings.",
        "Las acciones de Tesla cayeron un 4 por ciento después de que la compañía presentara unos beneficios inferiores a lo esperado.",
    ),
    ("“It was a difficult decision,” she said.", "«Fue una decisión difícil», dijo."),
    (
        "Seville beat Lisbon to host the congress in 2028.",
        "Sevilla se impuso a Lisboa como sede del congreso de 2028.",
    ),
    (
        "The European Commission proposed on Wednesday a 90% cut in emissions by 2040.",
        "La Comisión Europea propuso el miércoles un recorte del 90 % de las emisiones para 2040.",
    ),
    (
        "The budget deficit widened to 1.2 trillion dollars.",
        "El déficit presupuestario se amplió a 1,2 billones de dólares.",
    ),
    (
        "He was sentenced to 25 years in prison for drug trafficking.",
        "Fue condenado a 25 años de cárcel por narcotráfico.",
    ),
    (
        "Bolivia's electoral tribunal said turnout exceeded 85 percent.",
        "El tribunal electoral de Bolivia indicó que la participación superó el 85 por ciento.",
    ),
    (
        "The Dow Jones rose 0.8% and the Nasdaq gained 1.3%.",
        "El Dow Jones subió un 0,8 % y el Nasdaq avanzó un 1,3 %.",
    ),
    (
        "Hurricane Melissa made landfall in Jamaica as a Category 5 storm.",
        "El huracán Melissa tocó tierra en Jamaica con categoría 5.",
    ),
    (
        "Foreign Minister Sergei Lavrov and his Turkish counterpart, Hakan Fidan, will meet in Ankara on Friday.",
        "El ministro de Exteriores, Serguéi Lavrov, y su homólogo turco, Hakan Fidan, se reunirán el viernes en Ankara.",
    ),
    (
        "The company said it had not received any formal offer.",
        "La compañía aseguró que no ha recibido ninguna oferta formal.",
    ),
    (
        "Police fired tear gas to disperse protesters outside parliament in Nairobi.",
        "La policía lanzó gases lacrimógenos para dispersar a los manifestantes frente al Parlamento en Nairobi.",
    ),
    (
        "The fire destroyed 1,200 hectares of forest and forced the evacuation of some 400 people.",
        "El incendio arrasó 1.200 hectáreas de bosque y obligó a evacuar a unas 400 personas.",
    ),
    (
        "Temperatures could reach 40 degrees Celsius in parts of Andalusia this weekend.",
        "Las temperaturas podrían alcanzar los 40 grados centígrados en zonas de Andalucía este fin de semana.",
    ),
    (
        "The vaccine is 95% effective, the study published in The Lancet found.",
        "La vacuna tiene una eficacia del 95 %, según el estudio publicado en The Lancet.",
    ),
    (
        "Ecuador's President Daniel Noboa declared a 60-day state of emergency in seven provinces.",
        "El presidente de Ecuador, Daniel Noboa, decretó un estado de excepción de 60 días en siete provincias.",
    ),
    (
        "The deal is worth between 5 and 7 billion dollars.",
        "El acuerdo tiene un valor de entre 5.000 y 7.000 millones de dólares.",
    ),
    ("GDP per capita rose to $13,500.", "El PIB per cápita subió a 13.500 dólares."),
    ("The striker scored twice in the second half.", "El delantero marcó dos goles en la segunda parte."),
    (
        "It is the first time in a decade that inflation has exceeded 10 percent.",
        "Es la primera vez en diez años que la inflación supera el 10 por ciento.",
    ),
    (
        "Hundreds of thousands of tons of grain remain blocked in Odesa.",
        "Cientos de miles de toneladas de grano siguen bloqueadas en Odesa.",
    ),
    (
        "The court acquitted the former mayor of all charges.",
        "El tribunal absolvió al exalcalde de todos los cargos.",
    ),
    (
        "The Fed left rates unchanged on Wednesday.",
        "La Reserva Federal mantuvo sin cambios los tipos el miércoles.",
    ),
    (
        "Some 150 firefighters are battling the blaze, which broke out shortly before noon.",
        "Unos 150 bomberos luchan contra el fuego, que se declaró poco antes del mediodía.",
    ),
    (
        "The government will allocate 3,500 million pesos to the programme.",
        "El Gobierno destinará 3.500 millones de pesos al programa.",
    ),
    ("The minister ruled out a tax rise.", "La ministra descartó una subida de impuestos."),
    ("Nobody was hurt in the accident.", "No hubo heridos en el accidente."),
    (
        "The singer, who won four Grammys, died at the age of 81 at her home in Los Angeles.",
        "La cantante, ganadora de cuatro Grammy, falleció a los 81 años en su casa de Los Ángeles.",
    ),
    (
        "Volkswagen will cut 35,000 jobs in Germany by 2030, without closing any plants.",
        "Volkswagen suprimirá 35.000 empleos en Alemania de aquí a 2030, sin cerrar ninguna planta.",
    ),
    (
        "The prosecutor's office is investigating the alleged embezzlement of 4.3 million euros.",
        "La Fiscalía investiga el presunto desvío de 4,3 millones de euros.",
    ),
    (
        "Lula said Brazil would respond with reciprocal tariffs if no agreement was reached.",
        "Lula afirmó que Brasil responderá con aranceles recíprocos si no hay acuerdo.",
    ),
    ("Two-thirds of the members backed the motion.", "Dos tercios de los miembros respaldaron la moción."),
    (
        "The New York Times reported that the plan had been shelved.",
        "El New York Times informó de que el plan había sido archivado.",
    ),
    ("The country's population is about 47 million.", "La población del país ronda los 47 millones."),
    (
        "Israel's army said it had killed a Hezbollah commander in southern Lebanon.",
        "El Ejército de Israel dijo haber matado a un comandante de Hezbolá en el sur del Líbano.",
    ),
    ("The vote will take place in May, not in March.", "La votación se celebrará en mayo, no en marzo."),
    (
        "The rescue took 14 hours, the fire department reported.",
        "El rescate duró 14 horas, informaron los bomberos.",
    ),
    ("China is the world's second-largest economy.", "China es la segunda economía del mundo."),
    (
        "Experts say the virus might spread faster in winter.",
        "Los expertos sostienen que el virus podría propagarse más rápido en invierno.",
    ),
    (
        "The agreement was signed in Cairo by Hamas and Israel, with Egyptian and Qatari mediation.",
        "El acuerdo fue firmado en El Cairo por Hamás e Israel, con mediación egipcia y catarí.",
    ),
    (
        "Rescue workers pulled a 7-year-old girl alive from the rubble 80 hours after the quake.",
        "Los rescatistas sacaron con vida de los escombros a una niña de siete años, 80 horas después del terremoto.",
    ),
    (
        "Amnesty International accused the junta of carrying out extrajudicial executions.",
        "Amnistía Internacional acusó a la junta de llevar a cabo ejecuciones extrajudiciales.",
    ),
    ("About one in five workers is self-employed.", "Cerca de uno de cada cinco trabajadores es autónomo."),
    (
        "Taiwan's foreign ministry said on Monday that 45 Chinese aircraft had crossed the median line.",
        "El Ministerio de Exteriores de Taiwán informó este lunes de que 45 aviones chinos cruzaron la línea media.",
    ),
    (
        "The bank reported a net profit of 3.1 billion euros, up 12% from a year earlier.",
        "El banco obtuvo un beneficio neto de 3.100 millones de euros, un 12 % más que un año antes.",
    ),
    (
        "The strike will begin at midnight on Sunday and last 24 hours.",
        "La huelga comenzará a la medianoche del domingo y durará 24 horas.",
    ),
    ("He has been in office since January 20, 2025.", "Está en el cargo desde el 20 de enero de 2025."),
    (
        "The hearing is scheduled for Nov. 30 at 2 p.m. ET.",
        "La audiencia está prevista para el 30 de noviembre a las 14.00 hora del este.",
    ),
    (
        "Colombian President Gustavo Petro announced Monday that the minimum wage will rise 9.5% in 2026, to 1.56 million pesos ($390).",
        "El presidente colombiano, Gustavo Petro, anunció este lunes que el salario mínimo subirá un 9,5 % en 2026, hasta 1,56 millones de pesos (390 dólares).",
    ),
    (
        "Mexico's peso closed at 18.42 per dollar, down 0.35% from Thursday's close.",
        "El peso mexicano cerró en 18.42 unidades por dólar, una baja de 0.35% frente al cierre del jueves.",
    ),
    (
        "Pemex posted a loss of 161.3 billion pesos in the third quarter.",
        "Pemex reportó una pérdida de 161 mil 300 millones de pesos en el tercer trimestre.",
    ),
    (
        "Some 2,500 migrants left Tapachula on foot bound for the U.S. border.",
        "Unos 2,500 migrantes salieron a pie de Tapachula rumbo a la frontera con Estados Unidos.",
    ),
    ("The budget amounts to 8.2 trillion pesos.", "El presupuesto asciende a 8.2 billones de pesos."),
    (
        "Chile's copper output fell 3.7% year-on-year to 452,000 tonnes in August.",
        "La producción de cobre de Chile cayó 3,7% interanual en agosto, a 452.000 toneladas.",
    ),
    (
        "The IBEX 35 closed up 1.2% at 15,432.7 points.",
        "El IBEX 35 cerró con un alza del 1,2 %, en 15.432,7 puntos.",
    ),
    (
        "Brent crude for January delivery settled at $63.13 a barrel, losing 21 cents.",
        "El barril de Brent para entrega en enero cerró en 63,13 dólares, con un descenso de 21 centavos.",
    ),
    (
        "Police seized 1.8 tons of cocaine hidden in a container of bananas at the port of Guayaquil.",
        "La Policía incautó 1,8 toneladas de cocaína ocultas en un contenedor de banano en el puerto de Guayaquil.",
    ),
    (
        "“I have nothing to hide,” the former president told reporters outside the courthouse.",
        "“No tengo nada que ocultar”, dijo el exmandatario a los periodistas a las afueras del juzgado.",
    ),
    (
        "The 34-year-old forward, who joined the club in 2019, has scored 112 goals in 248 matches.",
        "El delantero de 34 años, que llegó al club en 2019, ha marcado 112 goles en 248 partidos.",
    ),
    (
        "Carlos Alcaraz beat Jannik Sinner 6-4, 7-6 (5) to reach his fourth final of the season.",
        "Carlos Alcaraz venció a Jannik Sinner por 6-4 y 7-6 (5) y alcanzó su cuarta final de la temporada.",
    ),
    (
        "The match kicks off at 9 p.m. local time (2000 GMT).",
        "El partido comienza a las 21.00 hora local (20.00 GMT).",
    ),
    (
        "The president will travel to China from Dec. 3 to 5.",
        "El presidente viajará a China del 3 al 5 de diciembre.",
    ),
    (
        "The virus has killed 45 people, 12 of them children, since the outbreak began in July.",
        "El virus ha matado a 45 personas, 12 de ellas niños, desde que comenzó el brote en julio.",
    ),
    ("No casualties were reported.", "No se reportaron víctimas."),
    (
        "The company did not immediately respond to a request for comment.",
        "La empresa no respondió de inmediato a una solicitud de comentarios.",
    ),
    ("The Senate voted 62-38 to approve the measure.", "El Senado aprobó la medida por 62 votos a 38."),
    ("About a dozen people were rescued.", "Una docena de personas fueron rescatadas."),
    (
        "The court sentenced him to four years and six months in prison.",
        "El tribunal lo condenó a cuatro años y seis meses de prisión.",
    ),
    (
        "The exhibition runs through February 14 at the Prado Museum.",
        "La exposición podrá verse hasta el 14 de febrero en el Museo del Prado.",
    ),
    (
        "Two out of three Spaniards believe the situation will worsen.",
        "Dos de cada tres españoles cree que la situación empeorará.",
    ),
    ("He had previously denied any wrongdoing.", "Anteriormente había negado haber cometido irregularidad alguna."),
    ("It was the deadliest attack since 2015.", "Fue el ataque más mortífero desde 2015."),
    ("The government is not ruling out new measures.", "El Gobierno no descarta nuevas medidas."),
    (
        "The two leaders spoke by phone for nearly an hour.",
        "Los dos dirigentes hablaron por teléfono durante casi una hora.",
    ),
    (
        "Thousands took to the streets of Buenos Aires, many waving Palestinian flags.",
        "Miles de personas salieron a las calles de Buenos Aires, muchas de ellas con banderas palestinas.",
    ),
    (
        "The bank's shares have more than doubled this year.",
        "Las acciones del banco han subido más del doble este año.",
    ),
    (
        "The strike, the third in a month, left 80% of trains at a standstill.",
        "La huelga, la tercera en un mes, dejó paralizado el 80 % de los trenes.",
    ),
    (
        "Renfe will add 120,000 seats over the Easter holidays.",
        "Renfe ofrecerá 120.000 plazas más en Semana Santa.",
    ),
    (
        "Scientists have identified a gene that could explain why some people never get COVID-19.",
        "Científicos han identificado un gen que podría explicar por qué algunas personas nunca contraen la covid-19.",
    ),
    (
        "The rocket lifted off at 07:42 GMT from Kourou, French Guiana.",
        "El cohete despegó a las 07.42 GMT desde Kurú, en la Guayana Francesa.",
    ),
    (
        "The mayor of New York, Zohran Mamdani, was sworn in on January 1.",
        "El alcalde de Nueva York, Zohran Mamdani, juró su cargo el 1 de enero.",
    ),
    (
        "The Bank of Spain raised its growth forecast for 2026 by two tenths, to 2.2%.",
        "El Banco de España elevó dos décimas su previsión de crecimiento para 2026, hasta el 2,2 %.",
    ),
    ("U.S. stocks closed lower on Friday.", "La bolsa de Nueva York cerró a la baja el viernes."),
    (
        "Housing prices rose 12.8% in the third quarter, the biggest increase in 18 years.",
        "El precio de la vivienda subió un 12,8 % en el tercer trimestre, su mayor alza en 18 años.",
    ),
    ("The suspect remains at large.", "El sospechoso sigue prófugo."),
    (
        "The ship was carrying 23 crew members from India, the Philippines and Greece.",
        "El barco llevaba 23 tripulantes de la India, Filipinas y Grecia.",
    ),
    (
        "The director's latest film won the Golden Lion at the Venice Film Festival.",
        "La última película del director ganó el León de Oro en el Festival de Cine de Venecia.",
    ),
    (
        "Almost 30 years after the murder, the case has been reopened.",
        "Casi 30 años después del asesinato, el caso ha sido reabierto.",
    ),
    (
        "The health ministry urged people over 60 to get vaccinated.",
        "El Ministerio de Sanidad instó a los mayores de 60 años a vacunarse.",
    ),
    ("Flights were canceled at Heathrow due to fog.", "Se cancelaron vuelos en Heathrow por la niebla."),
    (
        "Milei's party won 41% of the vote in the midterm elections, against 32% for the Peronists.",
        "El partido de Milei obtuvo el 41 % de los votos en las elecciones legislativas, frente al 32 % del peronismo.",
    ),
    (
        "The earthquake was felt in Mexico City, some 300 kilometers (186 miles) away.",
        "El sismo se sintió en Ciudad de México, a unos 300 kilómetros de distancia.",
    ),
    (
        "The company, based in Palo Alto, California, employs 12,000 people worldwide.",
        "La compañía, con sede en Palo Alto (California), emplea a 12.000 personas en todo el mundo.",
    ),
    ("He was 92.", "Tenía 92 años."),
    (
        "The EU's top diplomat, Kaja Kallas, called the attack “unacceptable.”",
        "La jefa de la diplomacia europea, Kaja Kallas, tildó el ataque de «inaceptable».",
    ),
    (
        "Pfizer's drug cut the risk of hospitalization by 89%, according to the trial.",
        "El fármaco de Pfizer redujo en un 89 % el riesgo de hospitalización, según el ensayo.",
    ),
    ("Only one in ten survived.", "Solo sobrevivió uno de cada diez."),
    (
        "Japan's prime minister, Sanae Takaichi, dissolved the lower house.",
        "La primera ministra de Japón, Sanae Takaichi, disolvió la Cámara Baja.",
    ),
    (
        "At the end of March, debt stood at 103.5% of GDP.",
        "A finales de marzo la deuda se situaba en el 103,5 % del PIB.",
    ),
    ("The measure will come into force on 1 May.", "La medida entrará en vigor el 1 de mayo."),
    (
        "The agreement must be ratified by at least two-thirds of the member states.",
        "El acuerdo debe ser ratificado por al menos dos tercios de los Estados miembros.",
    ),
    ("Neither the army nor the police commented.", "Ni el Ejército ni la Policía hicieron comentarios."),
    (
        "The victims include a couple from Leeds and their two children.",
        "Entre las víctimas figuran una pareja de Leeds y sus dos hijos.",
    ),
    (
        "The trial of the nine accused began on Tuesday in Seville.",
        "El juicio contra los nueve acusados comenzó el martes en Sevilla.",
    ),
    ("He could face up to 20 years in prison if convicted.", "Podría ser condenado a hasta 20 años de cárcel."),
    (
        "The Nobel Peace Prize was awarded to Venezuelan opposition leader María Corina Machado.",
        "El Premio Nobel de la Paz fue concedido a la líder opositora venezolana María Corina Machado.",
    ),
    ("Gold hit a record high of $4,381 an ounce.", "El oro marcó un máximo histórico de 4.381 dólares la onza."),
    (
        "More than 1,000 flights were delayed, FlightAware data showed.",
        "Más de mil vuelos sufrieron retrasos, según datos de FlightAware.",
    ),
    (
        "A 5.8-magnitude earthquake shook central Peru on Sunday without causing casualties.",
        "Un sismo de magnitud 5,8 sacudió el domingo el centro de Perú sin causar víctimas.",
    ),
    ("The decision was unanimous.", "La decisión fue unánime."),
    (
        "Interest rates will remain unchanged at 2%, the ECB decided.",
        "Los tipos de interés se mantendrán en el 2 %, decidió el BCE.",
    ),
    ("The 12-member panel includes six women.", "El panel, de 12 miembros, incluye a seis mujeres."),
    (
        "The firm said it will lay off 10 percent of its workforce, or about 1,400 employees.",
        "La empresa informó de que despedirá al 10 por ciento de su plantilla, unos 1.400 empleados.",
    ),
    (
        "In the first nine months of the year, 6.4 million tourists visited Cuba and the Dominican Republic.",
        "En los primeros nueve meses del año, 6,4 millones de turistas visitaron Cuba y República Dominicana.",
    ),
    (
        "“Nobody is above the law,” said Attorney General Pam Bondi.",
        "«Nadie está por encima de la ley», dijo la fiscal general, Pam Bondi.",
    ),
    (
        "The rebels allegedly used children as human shields.",
        "Los rebeldes habrían utilizado a niños como escudos humanos.",
    ),
    ("It will be the first papal visit to Algeria.", "Será la primera visita de un papa a Argelia."),
    (
        "The bus was traveling from Lima to Arequipa when it overturned early Wednesday.",
        "El autobús viajaba de Lima a Arequipa cuando volcó en la madrugada del miércoles.",
    ),
    (
        "The U.N. Security Council voted 13-0, with Russia and China abstaining, to extend the mission until June 30, 2027.",
        "El Consejo de Seguridad de la ONU votó por 13 votos a favor y ninguno en contra, con la abstención de Rusia y China, prorrogar la misión hasta el 30 de junio de 2027.",
    ),
    (
        "A magnitude 7.2 earthquake struck off the coast of Alaska at 11:09 a.m. local time Saturday, the U.S. Geological Survey said.",
        "Un terremoto de magnitud 7,2 sacudió el sábado la costa de Alaska a las 11.09 hora local, informó el Servicio Geológico de Estados Unidos.",
    ),
    (
        "Inflation in Argentina hit 2.6% in November, bringing the annual rate to 31.1%.",
        "La inflación en Argentina fue del 2,6 % en noviembre, con lo que la tasa interanual se situó en el 31,1 %.",
    ),
    (
        "Honduran authorities have yet to declare a winner three weeks after the vote.",
        "Las autoridades hondureñas siguen sin declarar un ganador tres semanas después de las elecciones.",
    ),
    ("He faces up to 15 years behind bars.", "Se enfrenta a una pena de hasta 15 años de prisión."),
    (
        "The flight, carrying 132 passengers and six crew, made an emergency landing in Recife.",
        "El vuelo, con 132 pasajeros y seis tripulantes a bordo, realizó un aterrizaje de emergencia en Recife.",
    ),
    (
        "Just over 60 percent of voters cast ballots, down from 68 percent four years ago.",
        "Algo más del 60 por ciento de los electores acudió a las urnas, frente al 68 por ciento de hace cuatro años.",
    ),
    (
        "The artist, who turned 70 last month, lives between Mexico City and Madrid.",
        "El artista, que cumplió 70 años el mes pasado, vive entre Ciudad de México y Madrid.",
    ),
    (
        "Ford is recalling 1.1 million vehicles because of a rearview camera defect.",
        "Ford llamará a revisión a 1,1 millones de vehículos por un defecto en la cámara de marcha atrás.",
    ),
    (
        "The bodies of two of the three missing climbers were found on Friday.",
        "Los cuerpos de dos de los tres montañeros desaparecidos fueron hallados el viernes.",
    ),
    (
        "“There will be no amnesty,” Justice Minister Félix Bolaños insisted.",
        "«No habrá amnistía», insistió el ministro de Justicia, Félix Bolaños.",
    ),
    (
        "Ryanair will close its Santiago de Compostela base and cut 2 million seats.",
        "Ryanair cerrará su base en Santiago de Compostela y recortará dos millones de plazas.",
    ),
    (
        "The fire has burned nearly 3,000 acres (1,214 hectares) and is 45% contained.",
        "El incendio ha quemado casi 1.214 hectáreas (3.000 acres) y está controlado en un 45 %.",
    ),
    (
        "U.S. inflation slowed to 2.9%, the lowest since March 2021.",
        "La inflación en Estados Unidos se moderó al 2,9 %, la más baja desde marzo de 2021.",
    ),
    (
        "The train was travelling at 153 kph, more than twice the speed limit.",
        "El tren circulaba a 153 kilómetros por hora, más del doble del límite de velocidad.",
    ),
    ("Some researchers doubt the claim.", "Algunos investigadores ponen en duda la afirmación."),
    (
        "A judge in Bogotá ordered the release of the former paramilitary leader.",
        "Un juez de Bogotá ordenó la puesta en libertad del exjefe paramilitar.",
    ),
    (
        "The airline cancelled about a third of its flights.",
        "La aerolínea canceló cerca de un tercio de sus vuelos.",
    ),
    (
        "Real Sociedad and Valencia drew 0-0 in San Sebastián.",
        "La Real Sociedad y el Valencia empataron a cero en San Sebastián.",
    ),
    (
        "The pope's funeral will be held on Saturday at 10:00 a.m. in St. Peter's Square.",
        "El funeral del papa se celebrará el sábado a las 10.00 en la plaza de San Pedro.",
    ),
    ("The suspect's lawyer declined to comment.", "El abogado del sospechoso declinó hacer comentarios."),
    (
        "The two-day summit in Santa Marta brought together leaders from 33 countries.",
        "La cumbre de dos días en Santa Marta reunió a líderes de 33 países.",
    ),
    (
        "Netflix agreed to buy Warner Bros. for $72 billion.",
        "Netflix acordó comprar Warner Bros. por 72.000 millones de dólares.",
    ),
    ("He left the hospital four days after surgery.", "Abandonó el hospital cuatro días después de la operación."),
    (
        "A drone attack on Odesa injured seven people, including a 12-year-old boy, regional governor Oleh Kiper said.",
        "Un ataque con drones contra Odesa dejó siete heridos, entre ellos un niño de 12 años, según el gobernador regional, Oleh Kiper.",
    ),
    (
        "Cuba suffered its fifth nationwide blackout in less than a year.",
        "Cuba sufrió su quinto apagón general en menos de un año.",
    ),
    ("The committee meets every two weeks.", "El comité se reúne cada dos semanas."),
    (
        "Annual sales fell short of the $10 billion forecast.",
        "Las ventas anuales no alcanzaron los 10.000 millones de dólares previstos.",
    ),
    (
        "Barcelona will host the 2026 congress from 2 to 5 March.",
        "Barcelona acogerá el congreso de 2026 del 2 al 5 de marzo.",
    ),
    (
        "The survey of 1,204 adults has a margin of error of plus or minus 3 percentage points.",
        "La encuesta, realizada a 1.204 adultos, tiene un margen de error de más o menos 3 puntos porcentuales.",
    ),
    (
        "The storm knocked out power to 200,000 customers in Puerto Rico.",
        "La tormenta dejó sin electricidad a 200.000 clientes en Puerto Rico.",
    ),
    (
        "Prime Minister Giorgia Meloni survived a no-confidence vote.",
        "La primera ministra, Giorgia Meloni, superó una moción de censura.",
    ),
    (
        "The first-half profit was 24% below expectations.",
        "El beneficio del primer semestre fue un 24 % inferior a lo previsto.",
    ),
    (
        "He became the youngest player to score in a World Cup final since Pelé in 1958.",
        "Se convirtió en el jugador más joven en marcar en una final de un Mundial desde Pelé en 1958.",
    ),
    ("The reservoir is at 18.7% of capacity.", "El embalse está al 18,7 % de su capacidad."),
    ("Nearly 9 in 10 homes were damaged.", "Casi nueve de cada diez viviendas resultaron dañadas."),
    ("The exchange rate stood at 7.12 yuan to the dollar.", "El tipo de cambio se situó en 7,12 yuanes por dólar."),
    ("A second suspect is still on the run.", "Un segundo sospechoso sigue huido."),
    (
        "The minister, who has held the post since 2022, will step down in the spring.",
        "El ministro, en el cargo desde 2022, dejará el puesto en primavera.",
    ),
    (
        "Venezuela freed 71 prisoners on Christmas Day, rights group Foro Penal said.",
        "Venezuela excarceló a 71 presos el día de Navidad, según la ONG Foro Penal.",
    ),
    (
        "At 1:30 p.m. the Dow was down 210 points, or 0.5%, at 42,310.",
        "A las 13.30 el Dow perdía 210 puntos, un 0,5 %, hasta los 42.310.",
    ),
    (
        "The company will pay a dividend of 45 cents per share.",
        "La compañía pagará un dividendo de 45 centavos por acción.",
    ),
    (
        "The attack, which no group has claimed, left 17 soldiers dead.",
        "El atentado, que ningún grupo ha reivindicado, dejó 17 soldados muertos.",
    ),
    (
        "El Salvador's Congress approved the reform by 57 votes to three.",
        "El Congreso de El Salvador aprobó la reforma con 57 votos a favor y tres en contra.",
    ),
    (
        "The aid convoy reached Gaza City on Thursday evening.",
        "El convoy de ayuda llegó a la Ciudad de Gaza el jueves por la noche.",
    ),
    (
        "Scientists found microplastics in 8 out of 10 samples.",
        "Los científicos hallaron microplásticos en ocho de cada diez muestras.",
    ),
    (
        "The novel has sold half a million copies in Spain alone.",
        "La novela ha vendido medio millón de ejemplares solo en España.",
    ),
    ("The hearing lasted less than an hour.", "La vista duró menos de una hora."),
    (
        "The deal still needs the approval of regulators in Brussels and London.",
        "El acuerdo aún necesita el visto bueno de los reguladores de Bruselas y Londres.",
    ),
    (
        "Lawmakers rejected the bill 120-98, dealing a blow to President Javier Milei.",
        "Los diputados rechazaron el proyecto de ley por 120 votos a 98, un revés para el presidente, Javier Milei.",
    ),
    ("Police said the gunman acted alone.", "La policía indicó que el atacante actuó solo."),
    ("The tournament begins in two weeks' time.", "El torneo comienza dentro de dos semanas."),
    (
        "Germany's GDP shrank 0.1% in the second quarter.",
        "El PIB de Alemania se contrajo un 0,1 % en el segundo trimestre.",
    ),
    ("About 40 of the 58 passengers were foreigners.", "Unos 40 de los 58 pasajeros eran extranjeros."),
    (
        "The ship sailed from Cartagena under a Panamanian flag.",
        "El buque zarpó de Cartagena con bandera panameña.",
    ),
    (
        "He is accused of laundering some $4.5 million through shell companies.",
        "Se le acusa de blanquear unos 4,5 millones de dólares a través de sociedades pantalla.",
    ),
    (
        "Colombia beat Bolivia 3-0 and qualified for the World Cup.",
        "Colombia goleó 3-0 a Bolivia y se clasificó para el Mundial.",
    ),
    (
        "The president's approval rating fell to 38%, from 43% in September.",
        "La popularidad del presidente bajó al 38 %, frente al 43 % de septiembre.",
    ),
    (
        "The magazine first appeared in the 1960s.",
        "La revista apareció por primera vez en la década de los sesenta.",
    ),
    (
        "Workers have been offered a 7% raise over three years.",
        "A los trabajadores se les ha ofrecido un aumento del 7 % en tres años.",
    ),
    ("It is unclear whether the talks will resume.", "No está claro si se reanudarán las conversaciones."),
    ("The Spanish government will not recognize the result.", "El Gobierno español no reconocerá el resultado."),
    (
        "Doctors Without Borders suspended its work in Port-au-Prince.",
        "Médicos Sin Fronteras suspendió su labor en Puerto Príncipe.",
    ),
    (
        "The volcano, about 70 km southeast of the capital, spewed ash 5 km into the sky.",
        "El volcán, situado a unos 70 km al sureste de la capital, lanzó ceniza a 5 km de altura.",
    ),
    ("Not a single vote was cast against it.", "No hubo ni un solo voto en contra."),
]
